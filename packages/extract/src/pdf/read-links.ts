import { safeUrl } from '../document/safe-url.ts'
import { type OpenPdf, readUtf8 } from './open-pdf.ts'

export type PdfLink = { readonly href: string; readonly box: readonly number[] }

const MAX_LINKS = 1_000

export function readLinks(open: OpenPdf, page: number): PdfLink[] {
  const { pdfium, memory, document, scratch } = open
  const links: PdfLink[] = []
  new Int32Array(memory().buffer, scratch, 1)[0] = 0
  // The position stays at the start of the scratch memory; strings are written to a part of their own.
  const strings = { ...open, scratch: scratch + 64 }
  const rest = 64 + 3_000
  while (links.length < MAX_LINKS && pdfium.FPDFLink_Enumerate(page, scratch, scratch + 8)) {
    const link = new Int32Array(memory().buffer, scratch + 8, 1)[0] ?? 0
    const action = pdfium.FPDFLink_GetAction(link)
    if (!action || !pdfium.FPDFLink_GetAnnotRect(link, scratch + rest)) continue
    const box = [...new Float32Array(memory().buffer, scratch + rest, 4)]
    const uri = readUtf8(strings, (buffer, size) =>
      pdfium.FPDFAction_GetURIPath(document, action, buffer, Math.min(size, 3_000)),
    )
    const href = uri === '' ? null : safeUrl(uri, 'https://invalid.invalid/')
    if (href !== null && !href.startsWith('https://invalid.invalid/')) links.push({ href, box })
  }
  return links
}
