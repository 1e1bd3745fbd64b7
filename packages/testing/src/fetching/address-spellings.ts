/** An IPv4 address as its four bytes. */
type Bytes = readonly [number, number, number, number]

const CIRCLED = '⓪①②③④⑤⑥⑦⑧⑨'
const FULL_WIDTH = '０１２３４５６７８９'
const DOUBLE_STRUCK = '𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡'

/** An IPv4 address in the spellings with which filters of hosts were passed, and inside the IPv6 addresses that lead to it. */
export function spellAddress(dotted: string): readonly string[] {
  const bytes = dotted.split('.').map(Number) as unknown as Bytes
  const [a, b, c, d] = bytes
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number, digits = 1) => value.toString(16).padStart(digits, '0')
  const [high, low] = [hex(a * 256 + b), hex(c * 256 + d)]
  const redrawn = (digits: string) => dotted.replaceAll(/\d/g, (digit) => [...digits][Number(digit)] ?? '')
  return [
    dotted,
    `${dotted}.`,
    `${number}`,
    `${number}.`,
    `0x${hex(number)}`,
    `0X${hex(number).toUpperCase()}`,
    `0x${'0'.repeat(20)}${hex(number)}`,
    `0${number.toString(8)}`,
    `${'0'.repeat(30)}${number.toString(8)}`,
    bytes.map((byte) => `0x${hex(byte)}`).join('.'),
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    bytes.map((byte) => byte.toString(8).padStart(12, '0')).join('.'),
    `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.0x${hex((b * 256 + c) * 256 + d)}`,
    redrawn(CIRCLED),
    redrawn(FULL_WIDTH),
    redrawn(DOUBLE_STRUCK),
    dotted.replaceAll('.', '。'),
    dotted.replaceAll('.', '．'),
    dotted.replaceAll('.', '｡'),
    dotted.replaceAll(/./g, (character) => `%${hex(character.charCodeAt(0))}`),
    dotted.replace('.', '.\u00ad'),
    // RFC 4291 2.5.5: IPv4-mapped and IPv4-compatible.
    `[::ffff:${dotted}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:FFFF:${dotted}]`,
    `[::${dotted}]`,
    // RFC 6052 and RFC 8215: NAT64; RFC 7915: translated.
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[::ffff:0:${dotted}]`,
    // RFC 3056: 6to4; RFC 4380: Teredo, with the client's address inverted; RFC 5214: ISATAP.
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `[2001::${hex((a * 256 + b) ^ 0xffff)}:${hex((c * 256 + d) ^ 0xffff)}]`,
    `[fe80::5efe:${dotted}]`,
  ]
}
