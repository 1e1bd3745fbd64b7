import { nearestName } from '../arguments/nearest-name.ts'
import { listingPrice } from '../documents/listing.ts'
import { sayPrice } from '../documents/llms-text.ts'
import type { Endpoint } from '../endpoint.ts'
import { buildInputSchema, buildOutputSchema, type JsonSchema } from '../json-schema.ts'
import { unavailabilityOf } from '../routes/read-availability.ts'
import type { Service } from '../service.ts'

/** An entry of `tools/list` (MCP specification, server/tools). */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema?: ObjectSchema
  readonly annotations: Readonly<Record<string, boolean>>
  readonly _meta?: Readonly<Record<string, unknown>>
}

type ObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown }

/** The tools of a service: one for each endpoint. */
export interface Tools {
  /** Those that are listed: at most 25. */
  list(): readonly Tool[]
  find(name: string): Endpoint | undefined
  /** The name that a misspelt one most likely means. */
  nearest(name: string): string | null
  /** The tools that match words best. */
  search(query: string): readonly Tool[]
}

export const FIND_TOOL = 'find_tool'
export const CALL_TOOL = 'call_tool'
/** A search for many words would hold up other requests. */
export const MAX_QUERY_LENGTH = 500

/** Models choose badly from a longer list, and read all of it before each task. */
const MAX_LISTED = 25
/** A longer schema of an answer is shown without what is inside its members. */
const MAX_OUTPUT_CHARACTERS = 1_000
/** Found tools come with their schemas. */
const MAX_FOUND = 5

/** @throws RangeError when two endpoints have one name. */
export function createTools(service: Service): Tools {
  const { tools: ids = [] } = service
  // Pages are for people.
  const endpoints = service.endpoints.filter(({ id, isPage }) => !isPage || ids.includes(id))
  const byName = new Map(endpoints.map((endpoint) => [toToolName(endpoint), endpoint]))
  const twin = endpoints.find((endpoint) => byName.get(toToolName(endpoint)) !== endpoint)
  if (twin) throw new RangeError(`${twin.id} has the name of another tool`)
  const chosen = ids.flatMap((id) => byName.get(toToolName({ id })) ?? [])
  // An additional host may have none of them.
  const named = chosen.length > 0 ? chosen : [...byName.values()]
  const built = new Map<string, { readonly description: string; readonly tool: Tool }>()

  function toolOf(endpoint: Endpoint): Tool {
    const { description } = endpoint
    const known = built.get(endpoint.id)
    // Descriptions may change over time.
    if (known?.description === description) return known.tool
    const tool = toTool(endpoint)
    built.set(endpoint.id, { description, tool })
    return tool
  }

  const isOffered = (endpoint: Endpoint) => unavailabilityOf(service as Service, endpoint) === null
  const offered = () => [...byName].filter(([, endpoint]) => isOffered(endpoint))

  return {
    list: () => {
      const listed = named.filter(isOffered).slice(0, MAX_LISTED - 2)
      return [...listed.map(toolOf), ...searchTools(offered().map(([name]) => name))]
    },
    find: (name) => byName.get(name),
    nearest: (name) => nearestName(name, byName.keys()),
    search: (query) => {
      const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
      const found = offered().map(([name, endpoint]) => ({
        endpoint,
        score: scoreOf(words, name, endpoint),
      }))
      return found
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, MAX_FOUND)
        .map(({ endpoint }) => toolOf(endpoint))
    },
  }
}

/** The name of an endpoint's tool. Model APIs accept letters, digits and underscores in the name of a tool. */
export function toToolName({ id }: Pick<Endpoint, 'id'>): string {
  return id.replaceAll(/\W/g, '_')
}

/** How often words occur; one in the name counts most. */
function scoreOf(words: readonly string[], name: string, { summary, description }: Endpoint): number {
  const [inSummary, inDescription] = [summary.toLowerCase(), description.toLowerCase()]
  const points = words.map(
    (word) =>
      Number(name.includes(word)) * 4 +
      Number(inSummary.includes(word)) * 2 +
      Number(inDescription.includes(word)),
  )
  return points.reduce((sum, each) => sum + each, 0)
}

function toTool(endpoint: Endpoint): Tool {
  const { summary, description, method, effect = 'none' } = endpoint
  const output = toOutput(buildOutputSchema(endpoint))
  return {
    name: toToolName(endpoint),
    title: summary,
    description: `${description} Price: ${sayPrice(endpoint)}.`,
    inputSchema: toInput(buildInputSchema(endpoint)),
    ...(output && { outputSchema: output }),
    annotations: {
      readOnlyHint: effect === 'none',
      destructiveHint: method === 'DELETE' || method === 'PUT',
    },
    _meta: { 'tollbook/price_usd': listingPrice(endpoint) },
  }
}

/** The fields of path, query and body in one object; files are texts. */
function toInput({ $schema: _, ...schema }: JsonSchema): ObjectSchema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const texts = properties.map(([name, field]) => [name, field.format === 'binary' ? toText(field) : field])
  return { ...schema, type: 'object', properties: Object.fromEntries(texts) }
}

function toText({ description = '' }: JsonSchema): JsonSchema {
  return {
    type: 'string',
    contentEncoding: 'base64',
    description: `${description} As base64, or as a data: URL.`.trim(),
  }
}

/** Clients check whatever a tool with an output schema returns, also its errors. */
function toOutput({ $schema: _, $defs, ...schema }: JsonSchema): ObjectSchema | null {
  if (schema.type !== 'object') return null
  if (JSON.stringify({ $defs, schema }).length > MAX_OUTPUT_CHARACTERS)
    return { type: 'object', anyOf: [toOutline(schema), ...OTHER_RESULTS] }
  return { type: 'object', ...($defs !== undefined && { $defs }), anyOf: [schema, ...OTHER_RESULTS] }
}

/** An object whose members are described by their types only. */
function toOutline({ properties, required }: JsonSchema): JsonSchema {
  const members = Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, { type, description }]) => [name, { ...(type !== undefined && { type, description }) }],
  )
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(required !== undefined && { required }),
  }
}

/** Payment requirements and problems, and what is said of an answer in another format. */
const OTHER_RESULTS: readonly JsonSchema[] = [
  { required: ['error'] },
  { required: ['detail'] },
  { required: ['content_type'] },
]

/** How tools that are not listed are found and called. */
function searchTools(names: readonly string[]): readonly Tool[] {
  return [
    {
      name: FIND_TOOL,
      title: 'Find a tool',
      description: `Finds tools of this service by words, also those that are not listed, with price and input schema. Free. All tools: ${names.join(', ')}.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            maxLength: MAX_QUERY_LENGTH,
            description: 'What the tool should do, in a few words.',
          },
        },
        required: ['query'],
      },
      annotations: { readOnlyHint: true },
    },
    {
      name: CALL_TOOL,
      title: 'Call a tool that is not listed',
      description: `Calls a tool that ${FIND_TOOL} found, at that tool's price.`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: `The name of the tool, as ${FIND_TOOL} returns it.` },
          arguments: { type: 'object', description: 'Its arguments, by its input schema.' },
        },
        required: ['name'],
      },
      annotations: { readOnlyHint: false },
    },
  ]
}
