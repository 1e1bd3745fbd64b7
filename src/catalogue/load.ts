import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Endpoint } from './endpoint.ts'
import { findFaults, findFaultsBetween } from './endpoint-faults.ts'

/** All faults of the endpoints of a folder. */
export class EndpointError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`wrong endpoints:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.name = 'EndpointError'
    this.faults = faults
  }
}

type Loaded = { readonly endpoints: readonly Endpoint[]; readonly faults: readonly string[] }

/**
 * Loads every `endpoints/<the URL path>/endpoint.ts` of a service, in order of paths. A module exports
 * endpoints, single or in lists. A folder in braces matches a path parameter, or any fixed segment.
 * @param rootFolderUrl the folder that contains `endpoints/`, such as `new URL('.', import.meta.url)`.
 * @throws EndpointError that lists every fault of every endpoint.
 */
export async function loadEndpoints(rootFolderUrl: URL): Promise<readonly Endpoint[]> {
  const root = fileURLToPath(new URL('endpoints/', rootFolderUrl))
  const files = globSync('**/endpoint.{ts,js}', { cwd: root }).sort()
  const loaded = await Promise.all(files.map((file) => loadModule(root, file)))
  const endpoints = loaded.flatMap((module) => module.endpoints)
  const faults = [...loaded.flatMap((module) => module.faults), ...findFaultsBetween(endpoints)]
  if (faults.length > 0) throw new EndpointError(faults)
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
    faults: [
      ...strange.map(({ name }) => `${folder}: the export ${name} is not an endpoint`),
      ...(exported.length === 0 ? [`${folder}: nothing is exported`] : []),
      ...endpoints
        .filter(({ path }) => !liesIn(path, folder))
        .map(({ id, path }) => `${id}: its path ${path} is not its folder ${folder}`),
      ...endpoints.flatMap((endpoint) => findFaults(endpoint).map((fault) => `${endpoint.id}: ${fault}`)),
    ],
  }
}

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' &&
    value !== null &&
    'handle' in value &&
    'path' in value &&
    typeof value.handle === 'function' &&
    typeof value.path === 'string'
  )
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
