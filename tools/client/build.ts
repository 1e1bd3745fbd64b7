import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findPaidApps } from '@tollbook/cli/commands/apps'
import { sayPrice } from '@tollbook/endpoints/documents/llms-text'
import { groupSamePrice } from '@tollbook/endpoints/documents/variants'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { answerTypeOf, buildInputSchema, buildOutputSchema } from '@tollbook/endpoints/json-schema'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { toToolName } from '@tollbook/endpoints/mcp/tools'
import { takesPostRead } from '@tollbook/endpoints/routes/path-routes'
import { isOfMessages } from '@tollbook/inference/messages/mounted-endpoints'
import { DEFAULT_MAX_USD } from '@tollbook/pay/pay'
import { loadConfig } from '@tollbook/runtime/config'
import { copySources } from './copy-sources.ts'
import { toDoc, toType } from './schema-types.ts'

// Writes the package `tollbook-client` to build/tollbook-client: a module with a method for each endpoint, and the sources
// that it needs, as JavaScript. It depends on no package of this repository.

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'packages/pay/client')
const COPIED = join(ROOT, 'build/client')
const PACKAGE = join(ROOT, 'build/tollbook-client')

const load = (service: string) => loadEndpoints(new URL(`../../apps/${service}/src/`, import.meta.url))
const inference = await load('inference')
/** What each service sells, once per operation; pages are for people. */
const services = Object.entries({
  social: await load('social'),
  utility: [...(await load('utility')), ...inference.filter(isOfMessages)],
  inference: inference.filter((endpoint) => !isOfMessages(endpoint)),
}).map(([name, endpoints]) => ({
  name,
  endpoints: groupSamePrice(endpoints.filter(({ isPage }) => !isPage)).map(({ endpoint }) => endpoint),
}))

const local = (port: number) => `http://127.0.0.1:${port}`
const apps = await findPaidApps()

/** Calls are POST where possible: only JSON keeps the types of values, and URLs are short and logged. */
function toForm(endpoint: Endpoint, sharing: readonly Endpoint[]): string {
  const { path, accepts, input } = endpoint
  const method = takesPostRead(endpoint, sharing) && endpoint.limits.bodyBytes > 0 ? 'POST' : endpoint.method
  const shape = 'body' in input.shape ? { body: true } : {}
  return JSON.stringify({ method, path, accepts, input: { shape } })
}

/** Names of types by their source text: endpoints of one family share theirs. */
const types = new Map<string, string>()
function nameType(name: string, text: string): string {
  const known =
    types.get(text) ?? name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
  types.set(text, known)
  return known
}

function toMethod(endpoint: Endpoint): string {
  const name = toToolName(endpoint)
  const inputSchema = buildInputSchema(endpoint)
  const input = nameType(`${name}_input`, toType(inputSchema))
  const answerType = answerTypeOf(endpoint)
  const output =
    answerType === 'application/json'
      ? nameType(`${name}_output`, toType(buildOutputSchema(endpoint)))
      : answerType === 'application/x-ndjson'
        ? 'Events'
        : 'Uint8Array'
  const isStreamed = 'stream' in ((inputSchema.properties ?? {}) as object)
  const needsInput = ((inputSchema.required ?? []) as unknown[]).length > 0
  const kind = isStreamed ? 'StreamingMethod' : needsInput ? 'Method' : 'OptionalMethod'
  return `${toDoc(`${endpoint.description} ${sayPrice(endpoint)}.`)}readonly ${name}: ${kind}<${input}, ${output}>\n`
}

const sold = services.map(
  ({ name, endpoints }) => `readonly ${name}: {\n${endpoints.map(toMethod).join('')}}\n`,
)
const forms = services.map(({ name, endpoints }) => {
  const entries = endpoints.map((endpoint) => {
    const sharing = endpoints.filter(({ path }) => path === endpoint.path)
    return `${toToolName(endpoint)}: ${toForm(endpoint, sharing)},\n`
  })
  return `${name}: {\n${entries.join('')}},\n`
})
const defaults = {
  max: DEFAULT_MAX_USD,
  origins: Object.fromEntries(apps.map(({ name, port }) => [name, local(port)])),
  rpcUrl: local(loadConfig({}).TOLLBOOK_DEVCHAIN_PORT),
}
const source = `// Generated from the catalogue of endpoints.
import { createClient } from './create-client.ts'
import type { Events, Method, OptionalMethod, Spending, StreamingMethod, TollbookOptions } from './types.ts'
export { TollbookError } from './tollbook-error.ts'
export type { CallOptions, Receipt, Result, TollbookOptions } from './types.ts'

${[...types].map(([text, name]) => `export type ${name} = ${text}\n`).join('')}
/** The services; a method for each endpoint, with the name of its tool in MCP. */
export type Tollbook = {
${sold.join('')}/** What the payments of this client may cost, and have cost. */
spent(): Spending
}

/** Opens a client that pays for its calls. It sends nothing by itself. */
export function createTollbook(options: TollbookOptions): Tollbook {
  return createClient<Tollbook>({ forms: FORMS, ...${JSON.stringify(defaults)} }, options)
}

const FORMS = {
${forms.join('')}} as const
`

for (const folder of [PACKAGE, COPIED]) rmSync(folder, { recursive: true, force: true })
copySources({ name: 'index.ts', text: source, folder: FOLDER, root: ROOT, to: COPIED })
mkdirSync(PACKAGE, { recursive: true })
for (const name of ['package.json', 'README.md']) copyFileSync(join(FOLDER, name), join(PACKAGE, name))
copyFileSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'))
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
const options = ['-p', import.meta.dirname, '--outDir', join(PACKAGE, 'dist')]
const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: 'inherit' })
process.exitCode = status ?? 1
