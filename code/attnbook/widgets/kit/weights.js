/* Reads a file of weights, as attnbook.weights writes it. The format is safetensors: eight bytes with the length of the
 * header, the header as JSON, the numbers of all tensors. An int8 tensor has scales beside it: one for each of its
 * rows, or for each of the blocks into which they are cut.
 *
 *   const file = readWeights(content)   base64 or an ArrayBuffer, or a list of such parts
 *   file.about          what the file says of itself
 *   file.names          of its weights
 *   file.weight(name)   {rows, cols, data}, with scales multiplied in; a vector is a single row
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

// The bytes of a content, or of a list of its parts: each in base64, or an ArrayBuffer.
export function bytesOf(content) {
  const parts = [content].flat().map((part) => (typeof part === "string" ? atob(part) : new Uint8Array(part)));
  const bytes = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    if (typeof part !== "string") bytes.set(part, at);
    else for (let i = 0; i < part.length; i++) bytes[at + i] = part.charCodeAt(i);
    at += part.length;
  }
  return bytes;
}

export function readWeights(content) {
  const bytes = bytesOf(content);
  const view = new DataView(bytes.buffer);
  const start = 8 + Number(view.getBigUint64(0, true));
  const { __metadata__: said, ...entries } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const numbers = (name) => {
    const {
      dtype,
      data_offsets: [from, to],
    } = entries[name];
    if (dtype === "I8") return new Float32Array(new Int8Array(bytes.buffer, start + from, to - from));
    const [wide, Numbers, read] = KINDS[dtype];
    const data = new Numbers((to - from) / wide);
    for (let i = 0; i < data.length; i++) data[i] = read(view, start + from + i * wide);
    return data;
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
      const block = data.length / scales.length;
      scales.forEach((scale, b) => {
        for (let i = b * block; i < (b + 1) * block; i++) data[i] *= scale;
      });
      return { rows, cols, data };
    },
  };
}
