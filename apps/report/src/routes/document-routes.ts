import { PAGE_HEADERS } from '@tollbook/endpoints/documents/site-page'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { toJsonSchema } from '@tollbook/endpoints/json-schema'
import { reportShape } from '@tollbook/verify/build/merchant-report'
import { toCurrentName } from '@tollbook/verify/screen/threshold-names'
import { html } from 'hono/html'
import * as z from 'zod'
import { showCount } from '../pages/figures-text.ts'
import { renderPage } from '../pages/layout.ts'
import { describeMethod, type Method, methodShape } from '../served/method.ts'
import {
  defineRead,
  HTML_TYPE,
  JSON_TYPE,
  renderDocument,
  textOf,
  toIndentedJson,
} from './reads/define-read.ts'
import type { ReportPorts } from './reads/ports.ts'

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
    answer: ({ ports }) =>
      renderDocument(ports, 'document/methodology', {
        contentType: HTML_TYPE,
        headers: PAGE_HEADERS,
        ...freshnessOf(ports),
        render: () => renderMethodPage(describeMethod(), ports.baseUrl),
      }),
  }),
  defineRead({
    id: 'method',
    path: '/method.json',
    summary: 'What counts as a payment, every screen, and each figure',
    input: z.object({}),
    output: methodShape,
    example: {},
    answer: ({ ports }) =>
      renderDocument(ports, 'document/method', {
        contentType: JSON_TYPE,
        ...freshnessOf(ports),
        render: () => toIndentedJson(describeMethod()),
      }),
  }),
  defineRead({
    id: 'schema',
    path: SCHEMA_PATH,
    summary: 'The JSON Schema of a report',
    input: z.object({}),
    output: z.looseObject({}).meta({ contentMediaType: 'application/schema+json' }),
    example: {},
    answer: ({ ports }) =>
      renderDocument(ports, 'document/schema', {
        contentType: 'application/schema+json; charset=utf-8',
        ...freshnessOf(ports),
        render: () => toIndentedJson(buildReportSchema(`${ports.baseUrl}${SCHEMA_PATH}`)),
      }),
  }),
]

/** The JSON Schema (2020-12) of a merchant report; `id` is where it is served. */
export function buildReportSchema(id: string): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = toJsonSchema(reportShape, 'output')
  return { $schema, $id: id, ...schema }
}

function freshnessOf({ startedAt }: ReportPorts) {
  return { maxAgeSeconds: MAX_AGE_SECONDS, lastModified: startedAt }
}

function renderMethodPage(method: Method, baseUrl: string): Promise<string> {
  const screens = method.screens.map((screen) => {
    const thresholds = Object.entries(screen.thresholds)
      .filter(([name]) => name === toCurrentName(name))
      .map(([name, value]) => html`<dt class="mono">${name}</dt><dd>${showCount(value)}</dd>`)
    return html`<section class="panel" aria-labelledby="${screen.kind}"><h3 id="${screen.kind}">${screen.title} <code class="muted">${screen.kind}</code></h3>
<p>${screen.rule}</p>${thresholds.length === 0 ? '' : html`<dl>${thresholds}</dl>`}
<p>What else can match it:</p><ul>${screen.innocent_causes.map((cause) => html`<li>${cause}</li>`)}</ul></section>`
  })
  const definitions = method.definitions.map(({ term, text }) => html`<dt>${term}</dt><dd>${text}</dd>`)
  const changes = method.changes.map(
    (change) => html`<dt>Version ${change.version}</dt><dd>${change.changes.join(' ')}</dd>`,
  )
  return renderPage({
    title: 'How payments are counted and screened',
    description:
      'The rule that makes a transfer a payment, every screen with its thresholds, and the definition of each figure.',
    canonical: `${baseUrl}/methodology`,
    main: html`<h1>How payments are counted and screened</h1>
<p class="lead">Every report shows two figures: the reported total on the chain, and the part that passes every screen. Both follow from public data by the rules below, so anyone can recompute them.</p>
<p class="muted">Version ${method.version}. Facilitators submit the payments of buyers to the chain; the method uses the list ${method.facilitator_list}. Machine-readable version: <a href="/method.json">/method.json</a></p>
<h2>Screens</h2>
<p>Screens describe patterns in public on-chain data. A flag is not a finding of wrongdoing: a merchant testing its own endpoint, one large customer or a high-volume integration can match a screen.</p>
<div class="stacked">${screens}</div>
<h2>Figures</h2>
<dl>${definitions}</dl>
<h2 id="changes">Versions of the method</h2>
<p>Each report states the version of the method that computed it. A published week keeps its version.</p>
<dl>${changes}</dl>`,
  })
}
