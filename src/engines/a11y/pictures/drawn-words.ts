import type { Element } from 'domhandler'
import { rawTextOf } from '../tree/page-tree.ts'

/** Words that scripts of a page write onto a canvas, as far as they stand in the scripts themselves. */
export type DrawnWords = { readonly canvasId: string; readonly words: readonly string[] }

/** More are a program, and no label. */
const MAX_WORDS = 100
const NAMED = /(['"`])#?([\w-]+)\1/g
/** Written text (HTML Standard, 4.12.5.1.11), given as a literal. */
const WRITTEN = /\.(?:fill|stroke)Text\(\s*(?:'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`)/g

/** Reads the scripts of a page; one that names several canvases does not say which it writes on. */
export function findDrawnWords(elements: readonly Element[], canvasIds: ReadonlySet<string>): DrawnWords[] {
  const found: DrawnWords[] = []
  let left = MAX_WORDS
  for (const element of elements) {
    if (element.name !== 'script' || left <= 0) continue
    const script = rawTextOf(element)
    const words = [...script.matchAll(WRITTEN).take(left)]
      .map(([, single, double, template]) => single ?? double ?? template ?? '')
      .filter((text) => /\p{L}/u.test(text))
    if (words.length === 0) continue
    const named = new Set([...script.matchAll(NAMED)].map(([, , id = '']) => id))
    const [canvasId, ...others] = [...named].filter((id) => canvasIds.has(id))
    if (canvasId === undefined || others.length > 0) continue
    found.push({ canvasId, words })
    left -= words.length
  }
  return found
}
