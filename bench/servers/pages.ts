import { servePages } from '../../test/servers/serve-pages.ts'
import { loadPages } from '../utility/pages.ts'
import { writeWorstPages } from '../utility/worst-pages.ts'
import { serveMeasured } from './measured.ts'

/** Which pages: the worst ones, or a sample as `loadPages` gives it. */
export type PagesOptions =
  | { readonly worst: true }
  | { readonly suites?: string | undefined; readonly count: number }

/** Pages by their number, `/0` on, from another process, so that serving them is nobody's burden. */
await serveMeasured(async (options: PagesOptions) => {
  const pages = 'worst' in options ? Object.values(writeWorstPages()) : await samplePages(options)
  const site = await servePages(Object.fromEntries(pages.map((page, at) => [`/${at}`, page])))
  return { url: site.url, close: async () => site.close() }
})

async function samplePages({
  suites,
  count,
}: {
  readonly suites?: string | undefined
  readonly count: number
}) {
  const { pages } = await loadPages(suites, count)
  return pages.map(({ body }) => ({ body }))
}
