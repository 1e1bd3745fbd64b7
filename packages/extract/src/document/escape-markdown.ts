/**
 * Escapes text so that CommonMark renders it literally, at any position in a line. A star between spaces is literal,
 * and so is a single tilde: only one after a word would end what another strikes out.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`[\]]/g, '\\$&')
    .replace(/(?<! )\*|\*(?! )/g, '\\*')
    .replace(/_/g, '\\_')
    .replace(/(?<=[\p{L}\p{N}])((?:\\_)+)(?=[\p{L}\p{N}])/gu, (run: string) => run.replaceAll('\\', ''))
    .replace(text.indexOf('~') === text.lastIndexOf('~') ? /~(?=~)/g : /~(?=~)|(?<=\S)~/g, '\\~')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/&(?=#?\w{1,32};)/g, '\\&')
}

export function escapeLineStart(line: string): string {
  return line
    .replace(/^(#{1,6})(?=\s|$)/, '\\$1')
    .replace(/^([-+*])(?=\s|$)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^>/, '\\>')
    .replace(/^(=+)(?=\s*$)/, '\\$1')
    .replace(/^-(?=[- ]*$)/, '\\-')
    .replace(/^~~~/, '\\~~~')
    .replace(/^\|/, '\\|')
    .replace(/^[-:](?=[-:| ]*$)/, (mark, _at, whole: string) => (isDelimiterRow(whole) ? `\\${mark}` : mark))
}

/** Below a line of text it would start a table. */
function isDelimiterRow(line: string): boolean {
  return line.includes('-') && /[:|]/.test(line)
}
