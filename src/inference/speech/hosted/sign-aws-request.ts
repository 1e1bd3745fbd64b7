import { createHmac, hash } from 'node:crypto'

export type AwsCredentials = {
  readonly accessKey: string
  readonly secretKey: string
  /** For temporary credentials. */
  readonly sessionToken?: string | undefined
}

export type AwsRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Additional headers to sign, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type Scope = { readonly region: string; readonly service: string; readonly now: Date }

const ALGORITHM = 'AWS4-HMAC-SHA256'

/**
 * The headers of a request signed by Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html), including the
 * provided ones. The path must be normalized.
 */
export function signAwsRequest(
  { method, url, headers = {}, body = '' }: AwsRequest,
  { accessKey, secretKey, sessionToken }: AwsCredentials,
  { region, service, now }: Scope,
): Readonly<Record<string, string>> {
  const { host, pathname, searchParams } = new URL(url)
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const sent = {
    ...headers,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const signed = Object.entries({ ...sent, host }).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    method,
    canonicalPath(pathname),
    canonicalQuery(searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    hash('sha256', body),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretKey}`)
  const signature = hmac(key, [ALGORITHM, time, scope, hash('sha256', canonical)].join('\n')).toString('hex')
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** The path as it is sent, escaped again, as every service but S3 requires. */
function canonicalPath(path: string): string {
  return path.split('/').map(escapeUri).join('/')
}

function canonicalQuery(query: URLSearchParams): string {
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  return [...query]
    .map(([name, value]) => [escapeUri(name), escapeUri(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Everything but the unreserved characters of RFC 3986 section 2.3. */
function escapeUri(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
