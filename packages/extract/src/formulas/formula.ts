import { Element, Text } from 'domhandler'

/** A formula as TeX, for Markdown: without dollar signs, markup and syntax of Markdown. */
export type Formula = { readonly tex: string; readonly isDisplayed: boolean }

/** Cleans a source in TeX; null if it is empty. */
export function toFormula(source: string | undefined, isDisplayed: boolean): Formula | null {
  const tex = withoutDelimiters(
    (source ?? '')
      // A comment ends with its line.
      .replace(/(?<!\\)%[^\n]*(?:\n\s*|$)/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  if (tex === '') return null
  return { tex: withoutMarkdown(tex), isDisplayed }
}

/** The element that stands for a formula from here on. */
export function toMathElement({ tex, isDisplayed }: Formula): Element {
  const text = new Text(tex)
  const math = new Element('math', { alttext: tex, ...(isDisplayed && { display: 'block' }) }, [text])
  text.parent = math
  return math
}

const DELIMITED = [
  /^\{\\(?:display|text|script)style(?![a-z])\s*(.*)\}$/,
  /^\$\$(.*)\$\$$/,
  /^\$(.*)\$$/,
  /^\\\((.*)\\\)$/,
  /^\\\[(.*)\\\]$/,
]

/** Takes off the delimiters, and the style that MediaWiki puts around all of a formula. */
function withoutDelimiters(tex: string): string {
  for (const pattern of DELIMITED) {
    const inner = pattern.exec(tex)?.[1]
    if (inner !== undefined && isClosed(inner)) return withoutDelimiters(inner.trim())
  }
  return tex
}

/** Whether no brace is closed that was not opened, and no formula ends inside. */
function isClosed(tex: string): boolean {
  let depth = 0
  for (const [mark] of tex.matchAll(/\\[\s\S]|[{}$]/g)) {
    if (mark === '{') depth += 1
    if (mark === '}') depth -= 1
    if (depth < 0 || (depth === 0 && (mark === '$' || mark === '\\)' || mark === '\\]'))) return false
  }
  return depth === 0
}

/** Writes what Markdown would read as the end of the formula, a link, code or HTML in another way of TeX. */
function withoutMarkdown(tex: string): string {
  const dollars = tex.match(/(?<!\\)\$/g)?.length ?? 0
  let at = 0
  return tex
    .replace(/(?<!\\)\$/g, () => {
      if (dollars % 2 === 1) return '\\$'
      at += 1
      return at % 2 === 1 ? '\\(' : '\\)'
    })
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\](?=[([])/g, '] ')
    .replace(/`/g, '‘')
}
