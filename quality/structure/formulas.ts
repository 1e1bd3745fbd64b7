import type { Count } from './count.ts'

/** Counts the formulas of an expected Markdown that an answer has, and those that it has more often. */
export function countFormulas(expected: string, markdown: string, count: Count): void {
  const wanted = formulasIn(expected)
  if (wanted.length === 0) return
  const found = Map.groupBy(formulasIn(markdown), (tex) => tex)
  const needed = Map.groupBy(wanted, (tex) => tex)
  const kept = [...needed].reduce(
    (sum, [tex, list]) => sum + Math.min(list.length, found.get(tex)?.length ?? 0),
    0,
  )
  count('formulas kept as TeX', 'tollbook', kept, wanted.length)
  const repeated = [...needed].filter(([tex, list]) => (found.get(tex)?.length ?? 0) > list.length).length
  count('formulas repeated', 'tollbook', repeated, needed.size)
}

/** TeX between dollar signs, without the white space, escapes and styles that change nothing. */
function formulasIn(markdown: string): string[] {
  const text = markdown.replace(/```[\s\S]*?```/g, '')
  return [...text.matchAll(/\$\$([\s\S]+?)\$\$|(?<![\\$\w])\$(?![\s$])((?:[^$\n\\]|\\.)+?)\$(?!\d)/g)]
    .map(([, shown, inline]) => toPlainTex(shown ?? inline ?? ''))
    .filter((tex) => tex !== '' && !/^\d[\d.,]*$/.test(tex))
}

function toPlainTex(tex: string): string {
  return tex
    .replace(/\\(?:displaystyle|textstyle)\b/g, '')
    .replace(/&amp;/g, '&')
    .replace(/\\([_*[\]<>`|])/g, '$1')
    .replace(/\\\\/g, '\\')
    .replace(/[\s{}]+/g, '')
}
