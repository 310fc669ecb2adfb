// How a record's key becomes the name of an object, and back. Names sort as the keys do, so that
// the bucket's own listing is in the right order and can start anywhere:
//
//   bytes below "-"     !XX        "!" sorts before all that stays as it is
//   bytes above "z"     ~XX        "~" sorts after it
//   a leading dot       .-         some object stores refuse "." and ".." as parts

const LOW = '!';
const HIGH = '~';
const FIRST_PLAIN = 0x2d;
const LAST_PLAIN = 0x7a;

export function encodeKey(key: string): string {
  const bytes = [...Buffer.from(key)].map((byte) => {
    if (byte >= FIRST_PLAIN && byte <= LAST_PLAIN) return String.fromCharCode(byte);
    const mark = byte < FIRST_PLAIN ? LOW : HIGH;
    return `${mark}${byte.toString(16).padStart(2, '0')}`;
  });
  return bytes.join('').replace(/(^|\/)\./g, '$1.-');
}

export function decodeKey(name: string): string {
  const plain = name.replace(/(^|\/)\.-/g, '$1.');
  const bytes = plain.replace(/[!~]([0-9a-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
