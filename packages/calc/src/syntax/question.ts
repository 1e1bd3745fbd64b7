/** What surrounds an expression in a question, a spreadsheet or on a pocket calculator. */
const BEFORE =
  /^\s*(?:=|(?:what(?:['’]s|\s+is|\s+are)|how\s+much\s+(?:is|are)|calculate|compute|convert|evaluate)\s+(?:the\s)?)\s*/i
const AFTER = /(?<![<>!=])\s*(?:=\s*\??|\?)\s*$/

/** The expression of `what is 2+2?`, `2+2=` and `=SUM(1,2)`, with blanks instead of the rest: columns stay. */
export function withoutQuestion(text: string): string {
  const blank = (part: string) => ' '.repeat(part.length)
  return text.replace(BEFORE, blank).replace(AFTER, blank)
}
