import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { State } from '../../state/state.ts'
import type { Evidence } from './evidence.ts'
import type { FreshReader } from './fresh-reader.ts'
import type { RenderCache } from './rendered-text.ts'

type Env = { Bindings: Partial<HttpBindings> }
export type ReportApp = Hono<Env>
export type ReportContext = Context<Env>

/** What the routes of the report service answer from. */
export type ReportPorts = {
  readonly state: State
  readonly reader: FreshReader
  readonly cache: RenderCache
  readonly evidence: Evidence
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  /** How long a cache may keep what the next publication may change, seconds. */
  readonly maxAgeSeconds: number
}

/** A path of the report service; all of them are free and only read. */
export type ReportRoute = {
  /** The label of its metrics. */
  readonly name: string
  /** Pattern of Hono's router. */
  readonly path: string
  readonly answer: (context: ReportContext, ports: ReportPorts) => Promise<Response>
  /** Whether people open it in a browser, so that a refusal is a page as well. */
  readonly isPage?: boolean
}
