import { servePages } from '@tollbook/testing/servers/serve-pages'
import { loadPages } from '../utility/pages.ts'
import { writeWorstPages } from '../utility/worst-pages.ts'
import { serveMeasured } from './measured.ts'

/** Which pages: the worst ones, or a sample from `loadPages`. */
export type PagesOptions =
  | { readonly worst: true }
  | { readonly suites?: string | undefined; readonly count: number }

/**
 * Serves pages by number, from `/0`, in a separate process, so that serving costs the measured process
 * nothing.
 */
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
