/** Labels of a domain name, lower case, each byte one character; the root has none. */
export type Name = readonly string[]

/** @param text a name in DNS form, such as `example.com`; `.` is the root */
export function parseName(text: string): Name {
  const name = text.replace(/\.$/, '').toLowerCase()
  return name === '' ? [] : name.split('.')
}

/** The name as zone files write it (RFC 4343 section 2.1), without the last dot. */
export function renderName(name: Name): string {
  if (name.length === 0) return '.'
  const escaped = (character: string) =>
    /[.\\]/.test(character) ? `\\${character}` : `\\${character.charCodeAt(0).toString().padStart(3, '0')}`
  return name.map((label) => label.replace(/[^!-~]|[.\\]/g, escaped)).join('.')
}

/** Uncompressed wire form. */
export function encodeName(name: Name): Buffer {
  const labels = name.map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.of(0)])
}

export function equalNames(one: Name, other: Name): boolean {
  return compareNames(one, other) === 0
}

export function isWithin(name: Name, zone: Name): boolean {
  return name.length >= zone.length && equalNames(lastLabels(name, zone.length), zone)
}

export function lastLabels(name: Name, count: number): Name {
  return count === 0 ? [] : name.slice(-count)
}

/** Canonical order (RFC 4034 section 6.1): label by label from the right. */
export function compareNames(one: Name, other: Name): number {
  for (let at = 1; at <= Math.min(one.length, other.length); at++) {
    const [left = '', right = ''] = [one.at(-at), other.at(-at)]
    if (left !== right) return left < right ? -1 : 1
  }
  return one.length - other.length
}
