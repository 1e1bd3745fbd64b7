import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { groupByPath } from '@tollbook/endpoints/routes/path-routes'

export type ExampleRequest = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly init: RequestInit
}

type Input = Readonly<Record<string, unknown>>

/**
 * The example of an endpoint as every request that its route takes, its own method first.
 * @param catalogue all endpoints of its service, since those that share a path decide which methods it takes
 * @param input in the place of the example's
 */
export function toRequests(
  endpoint: Endpoint,
  catalogue: readonly Endpoint[],
  input: Input = endpoint.example.input as Input,
): readonly ExampleRequest[] {
  const sharing = catalogue.filter(({ path }) => path === endpoint.path)
  const offers = groupByPath({ endpoints: sharing, ports: {}, baseUrl: '' }).flatMap((route) => [
    ...route.byMethod,
  ])
  const methods = offers.filter(([, offer]) => offer.endpoint === endpoint).map(([method]) => method)
  const inPath = new Set([...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(input[name])))
  const others = Object.entries(input).filter(([name]) => !inPath.has(name))
  return methods
    .toSorted((one, other) => Number(other === endpoint.method) - Number(one === endpoint.method))
    .map((method) => ({ method, ...toMessage(endpoint, { method, path, others }) }))
}

type Parts = {
  readonly method: string
  readonly path: string
  readonly others: readonly (readonly [name: string, value: unknown])[]
}

function toMessage(
  endpoint: Endpoint,
  { method, path, others }: Parts,
): Pick<ExampleRequest, 'path' | 'init'> {
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams()
    for (const [name, value] of others) for (const item of [value].flat()) query.append(name, String(item))
    return { path: query.size > 0 ? `${path}?${query}` : path, init: { method } }
  }
  const hasFile = others.some(([, value]) => value instanceof Blob)
  if (endpoint.accepts === 'multipart' || (endpoint.accepts === 'either' && hasFile)) {
    const form = new FormData()
    for (const [name, value] of others)
      for (const item of [value].flat()) form.append(name, item instanceof Blob ? item : toText(item))
    return { path, init: { method, body: form } }
  }
  const [, whole] = others.find(([name]) => name === 'body') ?? []
  const body = JSON.stringify(whole === undefined ? Object.fromEntries(others) : whole)
  return { path, init: { method, body, headers: { 'content-type': 'application/json' } } }
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
