import { readdirSync, readFileSync } from 'node:fs'
import { buildPaymentTerms, type SellerTerms } from '@tollbook/gate/contract/terms'
import type { Page } from '@tollbook/http/page'
import { ProblemError } from '@tollbook/http/problem'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import { TRY_PREFIX } from '../documents/try-path.ts'
import type { Service } from '../service.ts'
import { renderPayPage } from './pay-page.ts'

const SCRIPTS = new URL('browser/', import.meta.url)
/** Scripts change only with a release. */
const MAX_AGE_SECONDS = 3600
const DEMO_ACCOUNT_PATH = '/pay/demo-account'

/** The page of each endpoint under `/try`, its scripts, and on a local chain the demo account. */
export function buildTryPages(
  service: Service,
  seller: SellerTerms | undefined,
  startedAt: Date,
): Readonly<Record<string, Page>> {
  const { demoAccount } = service
  const names = readdirSync(SCRIPTS).filter((name) => name.endsWith('.js'))
  const scripts = names.map((name) => [`/pay/${name}`, serveScript(name, startedAt)] as const)
  return {
    [`${TRY_PREFIX}/*`]: async ({ url }) => {
      const path = decodePath(url.pathname.slice(TRY_PREFIX.length))
      const sharing = service.endpoints.filter((endpoint) => endpoint.path === path)
      const chosen = sharing.find(({ method }) => method === url.searchParams.get('method'))
      const endpoint = chosen ?? sharing[0]
      if (!endpoint) throw new ProblemError({ code: 'not_found', detail: 'No endpoint has this path.' })
      if (chosen) url.searchParams.delete('method')
      const terms = seller ? buildPaymentTerms(endpoint, seller) : []
      const fromUrl = { path: {}, query: url.searchParams.toString() }
      const { body, headers } = await renderPayPage({ service, endpoint, terms, fromUrl })
      return new Response(body, { headers })
    },
    ...Object.fromEntries(scripts),
    ...(demoAccount && {
      [DEMO_ACCOUNT_PATH]: async ({ url: { searchParams } }) => {
        const params: unknown = readJson(searchParams.get('params') ?? '[]')
        const result = Array.isArray(params)
          ? await demoAccount(searchParams.get('method') ?? '', params)
          : undefined
        if (result !== undefined)
          return Response.json({ result }, { headers: { 'cache-control': 'no-store' } })
        const detail = 'The demo account has no such method, or it cannot serve these parameters.'
        throw new ProblemError({ code: 'invalid_request', detail })
      },
    }),
  }
}

function serveScript(name: string, lastModified: Date): Page {
  const content = toRenderedText(readFileSync(new URL(name, SCRIPTS), 'utf8'))
  const contentType = 'text/javascript; charset=utf-8'
  return () => ({ kind: 'document', content, contentType, maxAgeSeconds: MAX_AGE_SECONDS, lastModified })
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
