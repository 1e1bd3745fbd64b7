import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseTree } from '@tollbook/extract/html-tree'
import { readText } from './structure-parts.ts'

export const PEERS = ['Readability', 'defuddle'] as const

/** The text of the content by each of `PEERS`, with its title in front. */
export type PeerTexts = Readonly<Record<(typeof PEERS)[number], string>>

type Linkedom = { parseHTML(html: string): { document: object } }
type ReadabilityModule = {
  Readability: new (document: object) => { parse(): { title?: string; content?: string } | null }
}
type DefuddleModule = {
  Defuddle(document: object, url: string, options: object): Promise<{ title?: string; content?: string }>
}

/** Loads the peers of `<folder>/node_modules`. */
export async function loadPeers(folder: string): Promise<(html: string, url: string) => Promise<PeerTexts>> {
  const load = (path: string) => import(pathToFileURL(resolve(folder, 'node_modules', path)).href)
  const { parseHTML } = (await load('linkedom/esm/index.js')) as Linkedom
  const { default: readability } = (await load('@mozilla/readability/index.js')) as {
    default: ReadabilityModule
  }
  const { Defuddle } = (await load('defuddle/dist/node.js')) as DefuddleModule
  const read = async (work: () => Promise<{ title?: string; content?: string } | null>) => {
    try {
      const { title = '', content = '' } = (await work()) ?? {}
      return `${title} ${readText(parseTree(content ?? ''))}`
    } catch {
      // A peer that fails on a page keeps nothing of it.
      return ''
    }
  }
  return async (html, url) => ({
    Readability: await read(async () => new readability.Readability(parseHTML(html).document).parse()),
    // Without `useAsync` it fetches nothing.
    defuddle: await read(() => Defuddle(parseHTML(html).document, url, { useAsync: false })),
  })
}
