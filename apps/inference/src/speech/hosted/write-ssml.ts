/** Characters that XML 1.0 section 2.2 forbids, even as a reference: most control characters, U+FFFE and U+FFFF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Escapes a text for an element or attribute of SSML; characters that XML forbids become a space. */
export function escapeSsml(text: string): string {
  return text
    .toWellFormed()
    .replace(NO_XML, ' ')
    .replace(/[&<>"']/g, (character) => REFERENCES[character] ?? '')
}
