import * as z from 'zod'
import type { FreeAnswer } from '../../../catalogue/answer.ts'
import { PAGE_HEADERS } from '../../../catalogue/documents/site-page.ts'
import type { Endpoint } from '../../../catalogue/endpoint.ts'
import { toJsonSchema } from '../../../catalogue/json-schema.ts'
import type { Document } from '../../../http/reply/document.ts'
import { toRenderedText } from '../../../http/reply/rendered-text.ts'
import { reportShape } from '../../build/merchant-report.ts'
import { defineRead, HTML_TYPE, JSON_TYPE, type ReportCall, textOf } from '../serving/define-read.ts'
import { describeMethod, methodShape } from './method.ts'
import { renderMethodPage } from './method-page.ts'

/** These documents change only with a release. */
const MAX_AGE_SECONDS = 3600
const SCHEMA_PATH = '/schema/merchant-report-1.json'

/** The documents that describe how reports are made and read; the same for every window. */
export const DOCUMENT_ENDPOINTS: readonly Endpoint[] = [
  defineRead({
    id: 'methodology',
    path: '/methodology',
    summary: 'How payments are counted and screened, as an HTML page',
    input: z.object({}),
    output: textOf('text/html'),
    example: {},
    isPage: true,
    answer: (call) =>
      toDocument(call, {
        name: 'methodology',
        contentType: HTML_TYPE,
        headers: PAGE_HEADERS,
        render: () => renderMethodPage(describeMethod(), call.ports.baseUrl),
      }),
  }),
  defineRead({
    id: 'method',
    path: '/method.json',
    summary: 'What counts as a payment, every screen, and each figure',
    input: z.object({}),
    output: methodShape,
    example: {},
    answer: (call) =>
      toDocument(call, { name: 'method', contentType: JSON_TYPE, render: () => toText(describeMethod()) }),
  }),
  defineRead({
    id: 'schema',
    path: SCHEMA_PATH,
    summary: 'The JSON Schema of a report',
    input: z.object({}),
    output: z.looseObject({}).meta({ contentMediaType: 'application/schema+json' }),
    example: {},
    answer: (call) =>
      toDocument(call, {
        name: 'schema',
        contentType: 'application/schema+json; charset=utf-8',
        render: () => toText(buildReportSchema(`${call.ports.baseUrl}${SCHEMA_PATH}`)),
      }),
  }),
]

/** The JSON Schema (2020-12) of a merchant report; `id` is where it is served. */
export function buildReportSchema(id: string): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = toJsonSchema(reportShape, 'output')
  return { $schema, $id: id, ...schema }
}

type Rendering = Pick<Document, 'contentType' | 'headers'> & {
  readonly name: string
  readonly render: () => string | Promise<string>
}

async function toDocument({ ports }: ReportCall, rendering: Rendering): Promise<FreeAnswer> {
  const { name, render, ...form } = rendering
  const content = await ports.cache.render(`document/${name}`, async () => toRenderedText(await render()))
  return { kind: 'document', content, maxAgeSeconds: MAX_AGE_SECONDS, lastModified: ports.startedAt, ...form }
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
