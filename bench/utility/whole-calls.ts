import { loadEndpoints } from '@tollbook/endpoints/load'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import type { UtilityPorts } from '@tollbook/utility/ports'
import { pino } from 'pino'

export type WholeCall = { readonly path: string; readonly status: number; readonly ms: number }

/** Endpoints that take pages. */
export const PAGE_PATHS = [
  '/api/scrape',
  '/api/summarize',
  '/api/seo/metadata',
  '/api/seo/alt-check',
  '/api/a11y/check',
] as const

/**
 * Calls the service as its router does, without payment and sockets: arguments, fetching over loopback,
 * threads, answer as JSON.
 * @param targets path and URL of each call
 */
export async function makeWholeCalls(
  ports: UtilityPorts,
  targets: Iterable<readonly [path: string, url: string]>,
  {
    concurrency,
    onCall = () => {},
  }: { readonly concurrency: number; readonly onCall?: (call: WholeCall) => void },
): Promise<void> {
  const endpoints = await loadEndpoints(new URL('../../apps/utility/src/', import.meta.url))
  const app = createTestApp(endpoints, {
    service: {
      name: 'utility',
      title: 'Bench',
      description: '',
      baseUrl: 'https://bench.example',
      endpoints,
      ports,
    },
    limiter: createRateLimiter(Number.MAX_SAFE_INTEGER),
    logger: pino({ level: 'silent' }),
  })
  const left = targets[Symbol.iterator]()
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const [path, url] = next.value
      const startedMs = performance.now()
      const response = await app.request(`${path}?url=${encodeURIComponent(url)}`, {
        headers: { 'payment-signature': 'taken' },
      })
      await response.arrayBuffer()
      onCall({ path, status: response.status, ms: performance.now() - startedMs })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
