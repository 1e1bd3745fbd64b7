import type { Network } from '@tollbook/chain/network'
import type { Page } from '@tollbook/http/page'
import type { html } from 'hono/html'
import type { Registry } from 'prom-client'
import type { Endpoint } from './endpoint.ts'

/** Sends a page in the design of its service. */
export type PageFrame = (page: FramedPage) => Promise<RenderedPage>

export type FramedPage = {
  readonly title: string
  readonly lead: Html
  readonly content: Html
  /** The path of the page; absent on pages that search engines should not index. */
  readonly path?: string
}

export type RenderedPage = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

type Html = ReturnType<typeof html> | string

/** What catalogues show of a service, as its operator wants it. */
export type ServiceProfile = {
  /** E-mail address or URL of the operator; default the service's page. */
  readonly contact?: string | undefined
  readonly iconUrl?: string | undefined
  /** At most 5, of at most 32 ASCII characters (specs/extensions/bazaar.md). */
  readonly tags?: readonly string[] | undefined
  /** The payee wallet's signatures of the service's origin, which catalogues check (x402scan). */
  readonly ownershipProofs?: readonly string[] | undefined
}

/** A service: its name, its address, its payee and its endpoints. */
export type Service = {
  /** Such as `utility`: in ids of endpoints, labels of metrics, and rows of calls. */
  readonly name: string
  readonly title: string
  /** One sentence that introduces the service to people and agents. */
  readonly description: string
  /** Public address without a trailing slash, such as `https://utility.example`. */
  readonly baseUrl: string
  readonly endpoints: readonly Endpoint[]
  /** The network on which it is paid; default Base. */
  readonly network?: Network
  /** Whether it is paid on a local chain, whose money has no value; default false. */
  readonly isDemo?: boolean
  /** On a local chain: a wallet (EIP-1193) with a public key; undefined for what it does not serve. */
  readonly demoAccount?: ((method: string, params: readonly unknown[]) => Promise<unknown>) | undefined
  readonly profile?: ServiceProfile
  readonly ports: unknown
  /** Ids of at most 23 endpoints that `/mcp` lists; others are found by words. Absent: no `/mcp`. */
  readonly tools?: readonly string[]
  /** Changes with the descriptions of endpoints; documents and challenges are then rebuilt. Default never. */
  readonly edition?: () => string
  /** Adds metrics besides those of its requests to `/metrics`. */
  readonly registerMetrics?: (registry: Registry) => void
  /** What a caller should know before the first call, as Markdown paragraphs for llms.txt. */
  readonly guide?: string
  /** The licence of the answers; default that of the product. */
  readonly license?: { readonly name: string; readonly url: string }
  /** The design of its pages; default that of the documentation. */
  readonly frame?: PageFrame
  /** Free pages besides its endpoints and documents, by Hono pattern. */
  readonly pages?: Readonly<Record<string, Page>>
}

export const MCP_PATH = '/mcp'

/** The URL of an endpoint in listings and challenges: without query, with `:name` for parameters. */
export function resourceUrlOf({ baseUrl }: Pick<Service, 'baseUrl'>, endpoint: Endpoint): string {
  return `${baseUrl}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}
