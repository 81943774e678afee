/* Reads a file of weights, as attnbook.weights writes it. The format is safetensors: eight bytes with the length of the
 * header, the header as JSON, the numbers of all tensors. An int8 tensor has a scale for each of its rows beside it.
 *
 *   const file = readWeights(base64)
 *   file.about          what the file says of itself
 *   file.names          of its weights
 *   file.weight(name)   {rows, cols, data}, with scales multiplied in; a vector is a single row
 */

// A 16-bit floating-point number from its bits.
export function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const power = (bits >> 10) & 31;
  const part = bits & 1023;
  return sign * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -14 * (part / 1024));
}

// kind → bytes of a number, what holds such numbers, and how one is read, little-endian on every machine
const KINDS = {
  F32: [4, Float32Array, (view, at) => view.getFloat32(at, true)],
  F16: [2, Float32Array, (view, at) => half(view.getUint16(at, true))],
  I8: [1, Float32Array, (view, at) => view.getInt8(at)],
  U32: [4, Uint32Array, (view, at) => view.getUint32(at, true)],
};

export function readWeights(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const start = 8 + Number(view.getBigUint64(0, true));
  const { __metadata__: said, ...entries } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const numbers = (name) => {
    const { dtype, data_offsets: [from, to] } = entries[name];
    const [wide, Numbers, read] = KINDS[dtype];
    return Numbers.from({ length: (to - from) / wide }, (_, i) => read(view, start + from + i * wide));
  };
  return {
    about: JSON.parse(said.about),
    names: Object.keys(entries).filter((name) => !name.endsWith(".scales")),
    weight(name) {
      const { shape } = entries[name];
      const [rows, cols] = shape.length === 2 ? shape : [1, shape[0]];
      const data = numbers(name);
      if (entries[name].dtype !== "I8") return { rows, cols, data };
      const scales = numbers(`${name}.scales`);
      return { rows, cols, data: data.map((whole, i) => whole * scales[Math.floor(i / cols)]) };
    },
  };
}
