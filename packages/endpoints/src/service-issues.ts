import { isRecord } from '@tollbook/flow/is-record'
import * as z from 'zod'
import { MAX_TOOLS, type ServiceDeclaration } from './define-service.ts'
import type { Endpoint } from './endpoint.ts'
import { findIssues, findIssuesBetween } from './load.ts'

/** As `name` of a service. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const MAX_NAME_LENGTH = 40
const MAX_PORT = 65_535

/** What is wrong with a value that a module exports as its service, each with the name of the member; empty if nothing. */
export function findServiceIssues(value: unknown): readonly string[] {
  if (!isRecord(value)) return ['it is not an object of defineService']
  const { name, title, description, endpoints, port, tools, ports } = value
  const issues: (string | false)[] = [
    isText(name) && name.length <= MAX_NAME_LENGTH && NAME.test(name)
      ? false
      : `name must be lower-case letters, digits and hyphens, such as 'weather', not ${show(name)}`,
    !isText(title) && `title must be text, not ${show(title)}`,
    !isText(description) && `description must be text, not ${show(description)}`,
    port !== undefined && !isPort(port) && `port must be a number from 0 to ${MAX_PORT}, not ${show(port)}`,
    ports !== undefined &&
      typeof ports !== 'function' &&
      !isRecord(ports) &&
      'ports must be an object, or a function that returns one',
    tools !== undefined &&
      !(Array.isArray(tools) && tools.every(isText) && tools.length <= MAX_TOOLS) &&
      `tools must be at most ${MAX_TOOLS} ids of endpoints`,
    ...Object.entries(OPTIONAL).map(
      ([member, type]) =>
        value[member] !== undefined &&
        (typeof value[member] !== type || value[member] === null) &&
        `${member} must be ${type === 'object' ? 'an' : 'a'} ${type}, not ${show(value[member])}`,
    ),
    ...Object.keys(value)
      .filter((member) => !MEMBERS.has(member))
      .map((member) => `${member} is no member of a service; it has ${[...MEMBERS].join(', ')}`),
  ]
  const found = issues.filter((issue): issue is string => issue !== false)
  if (!Array.isArray(endpoints) || endpoints.length === 0)
    return [...found, 'endpoints must be a list of values of defineEndpoint']
  return [...found, ...findEndpointIssues(endpoints), ...findUnknownTools(value)]
}

const OPTIONAL = {
  guide: 'string',
  license: 'object',
  pages: 'object',
  frame: 'function',
  registerMetrics: 'function',
  edition: 'function',
} as const satisfies Partial<Record<keyof ServiceDeclaration, string>>
const MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'title',
  'description',
  'endpoints',
  'port',
  'tools',
  'ports',
  ...Object.keys(OPTIONAL),
])

/** The members that an endpoint needs, and what each must be. */
const NEEDED: Readonly<Record<string, readonly [is: (value: unknown) => boolean, what: string]>> = {
  id: [isText, 'text'],
  method: [isText, 'GET, POST, PUT, PATCH or DELETE'],
  path: [isText, "text such as '/weather'"],
  pricing: [isPricing, "{ kind: 'exact', priceUsd: '0.01' } or { kind: 'free' }"],
  summary: [isText, 'text'],
  description: [isText, 'text'],
  input: [(value) => value instanceof z.ZodObject, 'a z.object of zod 4'],
  output: [(value) => value instanceof z.ZodType, 'a schema of zod 4'],
  example: [isRecord, '{ input, output }'],
  limits: [isRecord, '{ bodyBytes, timeoutMs }'],
  handle: [(value) => typeof value === 'function', 'a function'],
}

function findEndpointIssues(endpoints: readonly unknown[]): readonly string[] {
  const issues = endpoints.flatMap((value, at) => {
    if (!isRecord(value)) return [`endpoints[${at}] is not a value of defineEndpoint, but ${show(value)}`]
    const name = isText(value.id) ? value.id : `endpoints[${at}]`
    const missing = Object.entries(NEEDED).flatMap(([member, [is, what]]) =>
      is(value[member]) ? [] : [`${member} must be ${what}, not ${show(value[member])}`],
    )
    // Only a value of the right shape can be checked further.
    const wrong = missing.length > 0 ? missing : findIssues(value as unknown as Endpoint)
    return wrong.map((issue) => `${name}: ${issue}`)
  })
  return issues.length > 0 ? issues : findIssuesBetween(endpoints as readonly Endpoint[])
}

function findUnknownTools({ tools, endpoints }: Readonly<Record<string, unknown>>): readonly string[] {
  if (!Array.isArray(tools) || !Array.isArray(endpoints)) return []
  const ids = endpoints.map((endpoint: unknown) => isRecord(endpoint) && endpoint.id)
  return tools.filter((id) => !ids.includes(id)).map((id) => `tools: there is no endpoint ${show(id)}`)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isPort(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_PORT
}

function isPricing(value: unknown): boolean {
  return isRecord(value) && ['free', 'exact', 'metered'].includes(String(value.kind))
}

/** A short form of any value. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80))
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
