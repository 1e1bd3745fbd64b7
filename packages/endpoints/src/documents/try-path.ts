import type { Endpoint } from '../endpoint.ts'

/** The pages below it show one endpoint each. */
export const TRY_PREFIX = '/try'

/** Where an endpoint can be tried in a browser, as a URL has it: braces of parameters are encoded. */
export function tryPathOf({ path, method }: Endpoint, endpoints: readonly Endpoint[]): string {
  const first = endpoints.find((other) => other.path === path)
  return `${TRY_PREFIX}${encodeURI(path)}${first === undefined || first.method === method ? '' : `?method=${method}`}`
}
