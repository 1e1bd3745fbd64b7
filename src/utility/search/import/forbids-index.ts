/** Whether a robots tag, or the header `X-Robots-Tag`, asks for a page not to be found. */
export function forbidsIndex(told: string): boolean {
  return /\b(?:noindex|none)\b/i.test(told)
}
