import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One example of a rule in the ACT catalogue. */
export type ActCase = {
  readonly rule: string
  readonly expected: 'passed' | 'failed' | 'inapplicable'
  /** Number within its rule and expectation, from 1. */
  readonly number: number
  /** A complete page. */
  readonly html: string
}

const EXAMPLE = /^#### (Passed|Failed|Inapplicable) Example (\d+)[^\n]*\n([\s\S]*?)(?=^####? |(?![\s\S]))/gm
const CODE = /^```html[^\n]*\n([\s\S]*?)^```/m

/** Reads the HTML examples from the sources of the catalogue (folder `_rules`). */
export async function readActCases(folder: string): Promise<readonly ActCase[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => {
    const rule = /^id: (\S+)/m.exec(text)?.[1] ?? ''
    return [...text.matchAll(EXAMPLE)].flatMap(([, expected = '', number = '', body = '']) => {
      const code = CODE.exec(body)?.[1]
      if (code === undefined) return []
      const html = toPage(code)
      return [{ rule, expected: expected.toLowerCase() as ActCase['expected'], number: Number(number), html }]
    })
  })
}

/** A fragment becomes the body of an otherwise empty page, as the catalogue publishes it. */
function toPage(code: string): string {
  if (/<html[\s>]/i.test(code)) return code
  const head = '<head><title>Example</title></head>'
  const inside = /<head[\s>]/i.test(code) ? code : `${head}<body>\n${code}</body>`
  return `<!DOCTYPE html>\n<html lang="en">\n${inside}\n</html>`
}
