import { bytes, type FreeAnswer } from '@tollbook/endpoints/answer'
import { PAGE_HEADERS } from '@tollbook/endpoints/documents/site-page'
import { type Call, defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import type { Document } from '@tollbook/http/reply/document'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import * as z from 'zod'
import { PATH_PATTERNS } from './parameters.ts'
import type { ReportPorts } from './ports.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
export const HTML_TYPE = 'text/html; charset=utf-8'

export type ReportCall<Input = unknown> = Call<Input, ReportPorts, null>

/** What distinguishes one read of the report service from another. */
type ReadDeclaration<In extends z.ZodObject> = {
  readonly id: string
  readonly path: `/${string}`
  readonly summary: string
  readonly input: In
  readonly output: z.ZodType
  readonly example: z.input<In>
  /** Default: PATH_PATTERNS. */
  readonly pathPatterns?: Readonly<Record<string, string>>
  /** Whether people open it in a browser. */
  readonly isPage?: boolean
  /** Whether its answers have validators; default true. */
  readonly hasValidators?: boolean
  readonly check?: (input: z.output<In>) => readonly Issue[]
  readonly answer: (call: ReportCall<z.output<In>>) => Promise<FreeAnswer>
}

/** A reader on a slow link streams its evidence for as long as it takes; this is the time to the first byte. */
const TIMEOUT_MS = 60_000

/** Declares a free GET. Unknown parameters are ignored, because embedders add their own to a badge. */
export function defineRead<In extends z.ZodObject>(declaration: ReadDeclaration<In>): Endpoint {
  const { answer, example, summary, ...others } = declaration
  return defineEndpoint<In, z.ZodType, ReportPorts, { readonly kind: 'free' }>({
    method: 'GET',
    pricing: { kind: 'free' },
    isPostRead: false,
    isQueryLenient: true,
    pathPatterns: PATH_PATTERNS,
    hasValidators: true,
    limits: { bodyBytes: 0, timeoutMs: TIMEOUT_MS },
    ...others,
    summary,
    description: summary,
    example: { input: example },
    handle: answer,
  })
}

/** The schema of an answer that is a text of another type than JSON. */
export function textOf(contentMediaType: string): z.ZodType {
  return z.string().meta({ contentMediaType })
}

type Form = Omit<Document, 'kind' | 'content'>

/** A document whose text is rendered once for each key; see `RenderCache`. */
export async function renderDocument(
  { cache }: Pick<ReportPorts, 'cache'>,
  key: string,
  { render, ...form }: Form & { readonly render: () => string | Promise<string> },
): Promise<FreeAnswer> {
  const content = await cache.render(key, async () => toRenderedText(await render()))
  return { kind: 'document', content, ...form }
}

/** JSON for people, too: indented, with a line feed. */
export function toJsonDocument(body: unknown, form: Omit<Form, 'contentType'>): FreeAnswer {
  const content = toRenderedText(toIndentedJson(body))
  return { kind: 'document', content, contentType: JSON_TYPE, ...form }
}

export function toIndentedJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A page that depends on who asks, or on what was just written. */
export function answerHtml(page: string): FreeAnswer<never> {
  const headers = { 'cache-control': 'no-store', ...PAGE_HEADERS }
  return bytes(Buffer.from(page), HTML_TYPE, { headers })
}
