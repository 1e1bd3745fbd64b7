import type { Element } from 'domhandler'
import { lineOf } from '../tree/page-tree.ts'

/** Addresses of a picture, as the page writes them. */
export function sourcesOf({ attribs }: Element): readonly string[] {
  const fromSet = (attribs.srcset ?? '').split(',').map((one) => one.trim().split(/\s+/)[0] ?? '')
  return [attribs.src ?? '', attribs.data ?? '', ...fromSet].filter((source) => source !== '')
}

/** Whether a picture stands in a link that saves a file, whose name then says something. */
export function isInDownload(element: Element): boolean {
  return [...lineOf(element)].some((one) => one.attribs.download !== undefined)
}
