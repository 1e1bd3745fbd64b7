import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const OAUTH_CLIENT = { id: 'tollbook test', secret: 's3cr%t:of the app' }
export const OAUTH_USER = { id: '4242', username: 'zoe_upstream', name: 'Zoe' }

/** What users get from the API behind the sign-in, in the format of the X API v2. */
const OF_USERS: Readonly<Record<string, object>> = {
  '/2/users/me': { data: OAUTH_USER },
  [`/2/users/${OAUTH_USER.id}/mentions`]: {
    data: [{ id: '77', text: `Hello @${OAUTH_USER.username}` }],
    meta: { result_count: 1 },
  },
  '/2/media/upload': { data: { id: '88', media_key: '3_88' } },
}

/**
 * A sign-in upstream on loopback: codes, PKCE (RFC 7636) and single-use refresh tokens (RFC 9700 section
 * 4.14.2).
 */
export async function startOAuthUpstream() {
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  const upstream = {
    /** Every issued token and code. */
    secrets: [] as string[],
    /** The requests to the token endpoint. */
    grants: [] as string[],
    expiresIn: 7200,
    /** Answers that replace those of the token endpoint. */
    failure: null as { readonly status: number; readonly body: string } | null,
  }
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', origin)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (pathname === '/authorize') {
      const code = randomUUID()
      const redirectUri = searchParams.get('redirect_uri') ?? ''
      codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirectUri })
      upstream.secrets.push(code)
      const back = new URL(redirectUri)
      back.searchParams.set('state', searchParams.get('state') ?? '')
      back.searchParams.set('code', code)
      response.writeHead(302, { location: back.href }).end()
    } else if (pathname === '/2/oauth2/token') {
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      upstream.grants.push(form.get('grant_type') ?? '')
      if (upstream.failure) json(upstream.failure.status, upstream.failure.body)
      else if (!isClient(request)) json(401, { error: 'invalid_client' })
      else if (!takes(form)) json(400, { error: 'invalid_grant' })
      else json(200, issue())
    } else if (pathname in OF_USERS) {
      const [, token = ''] = (request.headers.authorization ?? '').split('Bearer ')
      if (access.has(token)) json(200, OF_USERS[pathname])
      else json(401, { title: 'Unauthorized', status: 401 })
    } else json(404, {})
  }

  function takes(form: URLSearchParams): boolean {
    if (form.get('grant_type') === 'refresh_token') return refresh.delete(form.get('refresh_token') ?? '')
    const code = form.get('code') ?? ''
    const begun = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    return begun?.challenge === challenge && begun.redirectUri === form.get('redirect_uri')
  }

  function issue() {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()]
    access.add(access_token)
    refresh.add(refresh_token)
    upstream.secrets.push(access_token, refresh_token)
    return { token_type: 'bearer', expires_in: upstream.expiresIn, access_token, refresh_token }
  }

  return Object.assign(upstream, {
    origin,
    urls: {
      authorizeUrl: `${origin}/authorize`,
      tokenUrl: `${origin}/2/oauth2/token`,
      userUrl: `${origin}/2/users/me`,
    },
    /** Revokes a user's tokens, as the user can at the upstream. */
    revokeAll() {
      access.clear()
      refresh.clear()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

function isClient({ headers }: IncomingMessage): boolean {
  const pair = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
  return pair === `${encodeURIComponent(OAUTH_CLIENT.id)}:${encodeURIComponent(OAUTH_CLIENT.secret)}`
}
