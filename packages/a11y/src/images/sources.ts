import type { Element } from 'domhandler'
import { selfAndAncestors } from '../tree/page-tree.ts'

/** The image's URLs, as the page writes them. */
export function sourcesOf({ attribs }: Element): readonly string[] {
  const fromSet = (attribs.srcset ?? '').split(',').map((one) => one.trim().split(/\s+/)[0] ?? '')
  return [attribs.src ?? '', attribs.data ?? '', ...fromSet].filter((source) => source !== '')
}

/** Whether an image is inside a download link, where a file name is a meaningful text. */
export function isInDownload(element: Element): boolean {
  return [...selfAndAncestors(element)].some((one) => one.attribs.download !== undefined)
}
