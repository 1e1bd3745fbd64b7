/** A line of text for `writePdf`: position of its start in points from the lower left corner, font size and text. */
export type PdfLine = readonly [x: number, y: number, size: number, text: string, font?: 'F1' | 'F2']

/** A PDF with one page of US letter for each list of lines, in Helvetica (`F1`) or its bold (`F2`). */
export function writePdf(pages: readonly (readonly PdfLine[])[], more = ''): Buffer {
  const contents = pages.map((lines) =>
    lines
      .map(([x, y, size, text, font = 'F1']) => `BT /${font} ${size} Tf ${x} ${y} Td (${text}) Tj ET`)
      .join('\n'),
  )
  return writeObjects(
    [
      '<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>',
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${6 + 2 * at} 0 R`).join(' ')}] >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>',
      "<< /Title (A title) /Author (A. Writer) /CreationDate (D:20260115093000+01'00') >>",
      ...contents.flatMap((content, at) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${7 + 2 * at} 0 R
           /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]),
    ],
    `/Info 5 0 R ${more}`,
  )
}

/** A PDF of these objects, numbered from 1; the first is the catalog. Text is Latin-1. */
export function writeObjects(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  for (const [at, object] of objects.entries()) {
    offsets.push(length)
    const body = typeof object === 'string' ? Buffer.from(object, 'latin1') : object
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')])
    parts.push(part)
    length += part.length
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(end)])
}
