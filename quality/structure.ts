import { openPage } from '@tollbook/utility/page/open-page'
import type { Half } from './structure/structure-page.ts'
import { scorePage } from './structure/structure-page-score.ts'
import { readStructurePages } from './structure/structure-pages.ts'
import { loadPeers } from './structure/structure-peers.ts'
import { printFigure, type Suite, showProgress } from './suite.ts'

/** Lists, tables, prices, headings, code and formulas, which word F1 hardly sees. */
export const structure: Suite = {
  name: 'structure',
  summary: 'what is whole, torn or dropped of lists, tables, prices, headings, code and formulas',
  run: ({ folder, every }) => measure(folder, 'tune', every),
}

/** The pages that influenced no choice. */
export const structureHeldOut: Suite = {
  name: 'structure-held-out',
  summary: 'the same of other pages',
  isHeldOut: true,
  run: ({ folder, every }) => measure(folder, 'held-out', every),
}

type Figure = { hits: number; of: number }

async function measure(folder: string, half: Half, every: number): Promise<void> {
  const figures = new Map<string, Map<string, Figure>>()
  const count = (figure: string, system: string, hits: number, of: number) => {
    const systems = figures.get(figure) ?? new Map<string, Figure>()
    const known = systems.get(system) ?? { hits: 0, of: 0 }
    known.hits += hits
    known.of += of
    systems.set(system, known)
    figures.set(figure, systems)
  }
  const readPeers = await loadPeers(folder)
  const pages = (await readStructurePages(folder, half)).filter((_, at) => at % every === 0)
  for (const [at, page] of pages.entries()) {
    const opened = openPage({ ...page, contentType: 'text/html' }, ({ html }) => html)
    if ('result' in opened) scorePage(page, opened.result, await readPeers(opened.result, page.url), count)
    showProgress(`structure ${half}`, at + 1, pages.length)
  }
  const shareOf = ({ hits, of }: Figure) => Number((hits / of).toFixed(4))
  for (const [figure, systems] of figures) {
    const ours = systems.get('tollbook')
    if (!ours || ours.of === 0) continue
    const peers = [...systems].filter(([system]) => system !== 'tollbook')
    const published = Object.fromEntries(peers.map(([system, found]) => [system, shareOf(found)]))
    const more = peers.length > 0 ? { published } : {}
    printFigure({ suite: `structure ${half}`, figure, value: shareOf(ours), of: ours.of, ...more })
  }
}
