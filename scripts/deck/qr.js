// A QR code of a short text: bytes, error correction of level M, versions 1 to 6 (ISO/IEC 18004).

// For each version: how many bytes correct a block, and how many data bytes each block has.
const QR_BLOCKS = [null, [10, [16]], [16, [28]], [26, [44]], [18, [32, 32]], [24, [43, 43]], [16, [27, 27, 27, 27]]];
const QR_MASKS = [
  (r, c) => (r + c) % 2,
  (r) => r % 2,
  (_, c) => c % 3,
  (r, c) => (r + c) % 3,
  (r, c) => ((r >> 1) + Math.floor(c / 3)) % 2,
  (r, c) => ((r * c) % 2) + ((r * c) % 3),
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2,
];

// The field of 256 elements: powers of its generator, and their logarithms.
const QR_EXP = [1];
for (let k = 1; k < 255; k++) QR_EXP[k] = (QR_EXP[k - 1] << 1) ^ (QR_EXP[k - 1] & 128 ? 0x11d : 0);
const QR_LOG = [];
QR_EXP.forEach((power, k) => (QR_LOG[power] = k));
const qrTimes = (a, b) => (a && b ? QR_EXP[(QR_LOG[a] + QR_LOG[b]) % 255] : 0);

// The remainder of a block by the generator polynomial of Reed and Solomon.
function qrCorrection(data, count) {
  let generator = [1];
  for (let k = 0; k < count; k++)
    generator = [...generator, 0].map((c, i) => c ^ qrTimes(i ? generator[i - 1] : 0, QR_EXP[k]));
  const rest = [...data, ...Array(count).fill(0)];
  for (let k = 0; k < data.length; k++) {
    const factor = rest[k];
    generator.forEach((c, i) => (rest[k + i] ^= qrTimes(c, factor)));
  }
  return rest.slice(data.length);
}

function qrCodewords(bytes, [correcting, sizes]) {
  const room = sizes.reduce((a, b) => a + b),
    bits = [0, 1, 0, 0];
  const put = (value, count) => {
    for (let k = count - 1; k >= 0; k--) bits.push((value >> k) & 1);
  };
  put(bytes.length, 8);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, 8 * room - bits.length));
  while (bits.length % 8) bits.push(0);
  const words = [];
  for (let k = 0; k < bits.length; k += 8) words.push(bits.slice(k, k + 8).reduce((a, b) => 2 * a + b));
  for (let k = 0; words.length < room; k++) words.push(k % 2 ? 0x11 : 0xec);
  let from = 0;
  const blocks = sizes.map((size) => words.slice(from, (from += size)));
  const corrections = blocks.map((block) => qrCorrection(block, correcting));
  const woven = (parts) => parts[0].flatMap((_, k) => parts.map((part) => part[k]));
  return [...woven(blocks), ...woven(corrections)];
}

// What a mask makes hard to read: runs, squares, patterns like those of the corners, too much of one color.
function qrPenalty(modules) {
  const size = modules.length,
    columns = modules.map((_, c) => modules.map((row) => row[c]));
  let penalty = 0;
  for (const line of [...modules, ...columns]) {
    const text = line.join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    for (let k = 0; k + 11 <= size; k++)
      if (["10111010000", "00001011101"].includes(text.slice(k, k + 11))) penalty += 40;
  }
  for (let r = 1; r < size; r++)
    for (let c = 1; c < size; c++)
      if (new Set([modules[r][c], modules[r - 1][c], modules[r][c - 1], modules[r - 1][c - 1]]).size === 1)
        penalty += 3;
  const dark = modules.flat().reduce((a, b) => a + b) / size ** 2;
  return penalty + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}

// The code as rows of 0 and 1; null for a text that is too long.
function qr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = QR_BLOCKS.findIndex((blocks) => blocks && bytes.length <= blocks[1].reduce((a, b) => a + b) - 2);
  if (version < 0) return null;
  const size = 17 + 4 * version,
    modules = Array.from({ length: size }, () => Array(size).fill(0)),
    fixed = modules.map((row) => row.map(() => false));
  const set = (r, c, value) => {
    if (r < 0 || c < 0 || r >= size || c >= size) return;
    modules[r][c] = +value;
    fixed[r][c] = true;
  };
  const square = (r, c, reach, dark) => {
    for (let y = -reach; y <= reach; y++)
      for (let x = -reach; x <= reach; x++) set(r + y, c + x, dark(Math.max(Math.abs(x), Math.abs(y))));
  };
  for (let k = 0; k < size; k++) {
    set(6, k, k % 2 === 0);
    set(k, 6, k % 2 === 0);
  }
  for (const [r, c] of [[3, 3], [3, size - 4], [size - 4, 3]]) square(r, c, 4, (far) => far !== 2 && far !== 4); // biome-ignore format: three corners
  if (version > 1) square(size - 7, size - 7, 2, (far) => far !== 1);
  const format = (mask) => {
    let rest = mask << 10;
    for (let k = 14; k >= 10; k--) if ((rest >> k) & 1) rest ^= 0x537 << (k - 10);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    for (let k = 0; k < 15; k++) {
      const bit = (bits >> k) & 1;
      if (k < 6) set(k, 8, bit);
      else if (k < 8) set(k + 1, 8, bit);
      else set(size - 15 + k, 8, bit);
      if (k < 8) set(8, size - 1 - k, bit);
      else if (k === 8) set(8, 7, bit);
      else set(8, 14 - k, bit);
    }
    set(size - 8, 8, 1);
  };
  format(0);
  const words = qrCodewords(bytes, QR_BLOCKS[version]);
  const data = [];
  // Two columns at a time from the right, upward and downward in turn.
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let k = 0; k < size; k++)
      for (const c of [right, right - 1]) {
        const r = up ? size - 1 - k : k;
        if (!fixed[r][c]) data.push([r, c]);
      }
  }
  data.forEach(([r, c], k) => (modules[r][c] = k < 8 * words.length ? (words[k >> 3] >> (7 - (k % 8))) & 1 : 0));
  const masked = QR_MASKS.map((mask, number) => {
    format(number);
    const copy = modules.map((row) => [...row]);
    for (const [r, c] of data) copy[r][c] ^= +(mask(r, c) === 0);
    return copy;
  });
  return masked.reduce((best, other) => (qrPenalty(other) < qrPenalty(best) ? other : best));
}
