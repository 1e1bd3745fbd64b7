import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseUsd } from '@tollbook/chain/usdc'
import { isRecord } from '@tollbook/flow/is-record'
import * as z from 'zod'
import { pathParametersOf } from './call-parts.ts'
import type { Endpoint } from './endpoint.ts'

/** All issues of the endpoints of a folder. */
export class EndpointError extends Error {
  readonly issues: readonly string[]
  constructor(issues: readonly string[]) {
    super(`wrong endpoints:\n${issues.map((issue) => `  ${issue}`).join('\n')}`)
    this.name = 'EndpointError'
    this.issues = issues
  }
}

type Loaded = { readonly endpoints: readonly Endpoint[]; readonly issues: readonly string[] }

/**
 * Loads every `endpoints/<the URL path>/endpoint.ts` of a service, in order of paths. A module exports
 * endpoints, single or in lists. A folder in braces matches a path parameter, or any fixed segment.
 * @param rootFolderUrl the folder that contains `endpoints/`, such as `new URL('.', import.meta.url)`.
 * @throws EndpointError that lists every issue of every endpoint.
 */
export async function loadEndpoints(rootFolderUrl: URL): Promise<readonly Endpoint[]> {
  const root = fileURLToPath(new URL('endpoints/', rootFolderUrl))
  const files = globSync('**/endpoint.{ts,js}', { cwd: root }).sort()
  const loaded = await Promise.all(files.map((file) => loadModule(root, file)))
  const endpoints = loaded.flatMap((module) => module.endpoints)
  const issues = [...loaded.flatMap((module) => module.issues), ...findIssuesBetween(endpoints)]
  if (issues.length > 0) throw new EndpointError(issues)
  return endpoints
}

async function loadModule(root: string, file: string): Promise<Loaded> {
  const folder = `/${dirname(file).replaceAll('\\', '/')}`
  let module: Record<string, unknown>
  try {
    module = await import(pathToFileURL(`${root}/${file}`).href)
  } catch (error) {
    throw new Error(`endpoints${folder}/endpoint.ts cannot be loaded`, { cause: error })
  }
  const exported = Object.entries(module).flatMap(([name, value]) =>
    [value].flat().map((item: unknown) => ({ name, item })),
  )
  const strange = exported.filter(({ item }) => !isEndpoint(item))
  const endpoints = exported.map(({ item }) => item).filter(isEndpoint)
  return {
    endpoints,
    issues: [
      ...strange.map(({ name }) => `${folder}: the export ${name} is not an endpoint`),
      ...(exported.length === 0 ? [`${folder}: nothing is exported`] : []),
      ...endpoints
        .filter(({ path }) => !liesIn(path, folder))
        .map(({ id, path }) => `${id}: its path ${path} is not its folder ${folder}`),
      ...endpoints.flatMap((endpoint) => findIssues(endpoint).map((issue) => `${endpoint.id}: ${issue}`)),
    ],
  }
}

function isEndpoint(value: unknown): value is Endpoint {
  return isRecord(value) && typeof value.handle === 'function' && typeof value.path === 'string'
}

function liesIn(path: string, folder: string): boolean {
  const segments = path.split('/')
  const folders = folder.split('/')
  return (
    segments.length === folders.length &&
    segments.every((segment, at) => {
      const wanted = folders[at] ?? ''
      return segment === wanted || (/^\{\w+\}$/.test(wanted) && !segment.includes('{'))
    })
  )
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
const ID = /^[a-z0-9][a-zA-Z0-9._-]*$/
const PATH = /^(\/([a-zA-Z0-9._~-]+|\{\w+\}[a-zA-Z0-9._~-]*))+$|^\/$/
/** Our own headers; those that HTTP and x402 define are never arguments. */
const HEADER = /^x-[a-z0-9-]+$/
/** Specification 2.5. */
const MAX_DESCRIPTION_LENGTH = 240
const MAX_SUMMARY_LENGTH = 80
const PRICE_ISSUE = "its price must be above 0; a free endpoint declares kind 'free'"
const AMOUNT_ISSUE = "its price must be decimal text in dollars without a sign, such as '0.01'"
/** Bodies are held in memory while a call is served. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** A payment authorization must outlive the handler; half an hour is more than clients sign for. */
const MAX_TIMEOUT_MS = 1_800_000

/** Human-readable issues of one endpoint by itself. */
export function findIssues(endpoint: Endpoint): string[] {
  const { id, method, path, description, summary, input, output, example, limits } = endpoint
  if (!(input instanceof z.ZodObject)) return ['its input is not a z.object']
  const names = new Set(Object.keys(input.shape))
  const issues: (string | false)[] = [
    !ID.test(id) && 'its id may have letters, digits, points, hyphens and underscores',
    !METHODS.has(method) && `its method ${method} is not one of ${[...METHODS].join(', ')}`,
    !PATH.test(path) && `its path ${path} is not of the form /name/{parameter}`,
    !isWithin(summary.length, 1, MAX_SUMMARY_LENGTH) &&
      `its summary must have 1 to ${MAX_SUMMARY_LENGTH} characters`,
    !isWithin(description.length, 1, MAX_DESCRIPTION_LENGTH) &&
      `its description must have 1 to ${MAX_DESCRIPTION_LENGTH} characters, not ${description.length}`,
    !(output instanceof z.ZodType) && 'its output is not a zod schema',
    (example?.input === undefined || (endpoint.pricing.kind !== 'free' && example.output === undefined)) &&
      'its example needs input and output',
    !isWithin(limits.bodyBytes, 0, MAX_BODY_BYTES) &&
      `limits.bodyBytes must be a whole number up to ${MAX_BODY_BYTES}`,
    !isWithin(limits.timeoutMs, 1, MAX_TIMEOUT_MS) &&
      `limits.timeoutMs must be a whole number from 1 to ${MAX_TIMEOUT_MS}`,
    endpoint.pricing.kind !== 'free' &&
      method !== 'GET' &&
      endpoint.effect === undefined &&
      "it must declare its effect: 'none', 'staged' or 'settled-first'",
    endpoint.effect === 'settled-first' &&
      endpoint.pricing.kind !== 'exact' &&
      "effect 'settled-first' requires a fixed price",
    endpoint.repeatAccess !== undefined &&
      (endpoint.pricing.kind !== 'exact' || endpoint.effect === 'staged') &&
      'repeatAccess requires a fixed price and no staged change',
    !isWithin(limits.formBytes ?? 0, 0, MAX_BODY_BYTES) &&
      `limits.formBytes must be a whole number up to ${MAX_BODY_BYTES}`,
    endpoint.accepts === 'either' && !names.has('file') && 'a multipart body needs a field file',
    endpoint.accepts === 'multipart' && method === 'GET' && 'a GET cannot have a multipart body',
    ...pathParametersOf(endpoint).map(
      (name) => !names.has(name) && `its input lacks the path parameter ${name}`,
    ),
    ...(endpoint.secrets ?? []).map((name) => !names.has(name) && `its input lacks the secret ${name}`),
    ...Object.entries(endpoint.headerFields ?? {}).flatMap(([name, field]) => [
      !HEADER.test(name) && `its header ${name} must be lower case and begin with x-`,
      !names.has(field) && `its input lacks the field ${field} of a header`,
    ]),
    ...findPriceIssues(endpoint),
  ]
  return issues.filter((issue) => issue !== false)
}

/**
 * Conflicts between endpoints: a duplicate id, or a duplicate method on a path; a path whose parameters have
 * several names; a variant of an endpoint that is absent or has other fields.
 */
export function findIssuesBetween(endpoints: readonly Endpoint[]): string[] {
  const paths = [...new Set(endpoints.map((endpoint) => endpoint.path))]
  return [
    ...repeated(paths.map(withoutNames)).map(
      (path) => `${path}: its parameters are named in more than one way`,
    ),
    ...repeated(endpoints.map((endpoint) => endpoint.id)).map(
      (id) => `${id}: this id is used more than once`,
    ),
    ...repeated(endpoints.map(({ method, path }) => `${method} ${withoutNames(path)}`)).map(
      (route) => `${route}: this route is declared more than once`,
    ),
    ...endpoints.flatMap(({ id, variant, input }) => {
      const other = variant && endpoints.find((each) => each.id === variant.of)
      return variant && other?.input !== input
        ? [`${id}: it is not a variant of ${variant.of}, which is absent or has other fields`]
        : []
    }),
  ]
}

function findPriceIssues({ pricing }: Endpoint): (string | false)[] {
  if (pricing.kind === 'free') return []
  const amounts: readonly unknown[] =
    pricing.kind === 'exact' ? [pricing.priceUsd] : [pricing.priceUsd, pricing.minimumUsd]
  // A module in JavaScript may have any value.
  const wrong = amounts.find((amount) => typeof amount !== 'string' || amount.includes('$'))
  if (wrong !== undefined || amounts.includes(undefined)) return [`${AMOUNT_ISSUE}, not ${toShown(wrong)}`]
  try {
    const price = parseUsd(pricing.priceUsd)
    if (pricing.kind === 'exact') return [price <= 0n && PRICE_ISSUE]
    const minimum = parseUsd(pricing.minimumUsd)
    return [
      price <= 0n && PRICE_ISSUE,
      !(minimum > 0n && minimum <= price) && 'its minimum charge must be above 0 and at most the price',
    ]
  } catch (error) {
    return [`its price is ${error instanceof Error ? error.message : 'wrong'}`]
  }
}

function toShown(amount: unknown): string {
  return typeof amount === 'string' ? `'${amount}'` : String(amount)
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, at) => values.indexOf(value) !== at))]
}

function withoutNames(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}')
}
