/** Whether a robots tag, or the header `X-Robots-Tag`, forbids indexing. */
export function forbidsIndex(told: string): boolean {
  return /\b(?:noindex|none)\b/i.test(told)
}
