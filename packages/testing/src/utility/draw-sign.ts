import { drawPdfPage } from '@tollbook/extract/pdf/draw-pdf-page'
import sharp from 'sharp'
import { writePdf } from '../write-pdf.ts'

/** The text of the sign, in Markdown. */
export const SIGN =
  '# Harbour office\n\nOpen from 8 to 12. A pilot is paid in the office, and never on board of a ship.\n'

/** A picture of three lines of text, drawn by PDFium. */
export async function drawSign(dpi: number) {
  const lines = [
    [60, 700, 30, 'Harbour office'],
    [60, 600, 18, 'Open from 8 to 12. A pilot is paid in the office,'],
    [60, 575, 18, 'and never on board of a ship.'],
  ] as const
  const drawn = await drawPdfPage(writePdf([lines]), { page: 1, dpi })
  if ('refusal' in drawn) throw new Error(drawn.message)
  const raw = { width: drawn.width, height: drawn.height, channels: 4 as const }
  return sharp(drawn.rgba, { raw }).extract({ left: 0, top: dpi / 2, width: drawn.width, height: 3 * dpi })
}
