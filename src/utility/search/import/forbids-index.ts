/** Whether a robots tag, or the header `X-Robots-Tag`, forbids indexing. */
export function forbidsIndex(content: string): boolean {
  return /\b(?:noindex|none)\b/i.test(content)
}
