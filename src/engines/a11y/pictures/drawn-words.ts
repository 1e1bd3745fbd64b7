import type { Element } from 'domhandler'
import { rawTextOf } from '../tree/page-tree.ts'

/** Text that the page's scripts draw on a canvas, as far as the scripts contain it as string literals. */
export type DrawnWords = { readonly canvasId: string; readonly words: readonly string[] }

/** More texts than this suggest a program, not labels. */
const MAX_WORDS = 100
const NAMED = /(['"`])#?([\w-]+)\1/g
/** Drawn text (HTML Standard, 4.12.5.1.11) passed as a literal. */
const WRITTEN = /\.(?:fill|stroke)Text\(\s*(?:'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`)/g

/**
 * Scans the scripts of a page. A script that names several canvases is skipped, since it is unclear which one
 * it draws on.
 */
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
