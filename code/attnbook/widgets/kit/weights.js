/* Reads a file of weights, as attnbook.weights writes it. The format is safetensors: eight bytes with the length of the
 * header, the header as JSON, the numbers of all tensors. An int8 tensor has scales beside it: one for each of its
 * rows, or for each of the blocks into which they are cut.
 *
 *   const file = readWeights(content)   base64 or an ArrayBuffer
 *   file.about          what the file says of itself
 *   file.names          of its weights
 *   file.weight(name)   {rows, cols, data}, with scales multiplied in; a vector is a single row
 *   file.stored(name)   the same, but an int8 one as it is stored, a quarter as large: {rows, cols, data, scales}
 */

// A 16-bit floating-point number from its bits.
export function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const power = (bits >> 10) & 31;
  const part = bits & 1023;
  if (power === 31) return part ? NaN : sign * Infinity;
  return sign * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -24 * part);
}

// kind → bytes of a number, what holds such numbers, and how one is read, little-endian on every machine
const KINDS = {
  F32: [4, Float32Array, (view, at) => view.getFloat32(at, true)],
  F16: [2, Float32Array, (view, at) => half(view.getUint16(at, true))],
  U32: [4, Uint32Array, (view, at) => view.getUint32(at, true)],
};

// The bytes of base64 or of an ArrayBuffer.
export function bytesOf(content) {
  if (typeof content !== "string") return new Uint8Array(content);
  const letters = atob(content);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

// Fills `out` with the numbers of an int8 matrix from one on, scales multiplied in; both begin and end with a block.
export function unpack({ data, scales }, from, out) {
  const block = data.length / scales.length;
  for (let i = 0; i < out.length; i += block) {
    const scale = scales[(from + i) / block];
    for (let k = i; k < i + block; k++) out[k] = data[from + k] * scale;
  }
  return out;
}

export function readWeights(content) {
  const bytes = bytesOf(content);
  const view = new DataView(bytes.buffer);
  const start = 8 + Number(view.getBigUint64(0, true));
  const { __metadata__: header, ...entries } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const numbers = (name) => {
    const {
      dtype,
      data_offsets: [from, to],
    } = entries[name];
    if (dtype === "I8") return new Int8Array(bytes.buffer, start + from, to - from);
    const [wide, Numbers, read] = KINDS[dtype];
    const data = new Numbers((to - from) / wide);
    for (let i = 0; i < data.length; i++) data[i] = read(view, start + from + i * wide);
    return data;
  };
  const stored = (name) => {
    const { dtype, shape } = entries[name];
    const [rows, cols] = shape.length === 2 ? shape : [1, shape[0]];
    const matrix = { rows, cols, data: numbers(name) };
    return dtype === "I8" ? { ...matrix, scales: numbers(`${name}.scales`) } : matrix;
  };
  return {
    about: JSON.parse(header.about),
    names: Object.keys(entries).filter((name) => !name.endsWith(".scales")),
    stored,
    weight(name) {
      const { rows, cols, data, scales } = stored(name);
      return { rows, cols, data: scales ? unpack({ data, scales }, 0, new Float32Array(data.length)) : data };
    },
  };
}
