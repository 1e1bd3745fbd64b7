/** Inserts citations before the final punctuation, as is usual: "Tides differ [1]." They follow an ellipsis. */
export function cite(text: string, citations: readonly number[]): string {
  const marks = citations.map((citation) => ` [${citation}]`).join('')
  const end = /(?<!\.\.)[.!?。！？][)"'”’」]*$/.exec(text)?.index ?? text.length
  return text.slice(0, end) + marks + text.slice(end)
}
