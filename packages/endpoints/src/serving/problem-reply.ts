import { PROBLEMS, type Problem } from '@tollbook/http/problem'
import { acceptsHtml } from '@tollbook/http/reply/document'
import { type Dialect, renderProblem } from '@tollbook/http/reply/problem-document'
import type { Reply } from '@tollbook/http/reply/reply'
import { carriesPayment, type ServedRequest } from '@tollbook/http/request/served-request'
import { frameOf, renderProblemPage } from '../documents/page-frame.ts'
import { tryPathOf } from '../documents/try-path.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Service } from '../service.ts'

/** Where SDKs of model APIs send requests, also those that this service has no endpoint for. */
const MODEL_API = /^\/v1(?:\/|$)/
const MESSAGES_API = /^\/v1\/(?:_t\/[^/]+\/)?messages(?:\/|$)/

export type Refused = {
  readonly service: Pick<Service, 'frame' | 'isDemo' | 'network' | 'baseUrl' | 'endpoints'>
  readonly request: ServedRequest
  /** Null if the path, or its method, is not an endpoint's. */
  readonly endpoint: Endpoint | null
  readonly requestId: string
}

/** A problem as a page for people who open it in a browser; otherwise in the dialect of the endpoint. */
export async function toProblemReply(found: Problem, refused: Refused): Promise<Reply> {
  const { service, request, endpoint, requestId } = refused
  const problem = { ...found, members: { ...endpoint?.problemMembers?.(found), ...found.members } }
  const { baseUrl } = service
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : ''
  const dialect = endpoint ? endpoint.dialect : dialectOf(path)
  const reply = renderProblem(problem, { baseUrl, dialect, requestId })
  const { vary } = reply.headers
  const headers: Record<string, string> = {
    ...reply.headers,
    vary: vary === undefined ? 'Accept' : `${vary}, Accept`,
    // The messages dialect has its own name for it, which its SDKs show.
    ...(dialect === 'messages' && { 'request-id': requestId }),
  }
  if (!isOpenedByPerson(request, endpoint)) return { ...reply, headers }
  const sold = service.frame ? undefined : service.endpoints.find((each) => each.path === path)
  const tryPath = sold && tryPathOf(sold, service.endpoints)
  const page = await renderProblemPage(frameOf(service), problem, { baseUrl, requestId, tryPath })
  return { status: PROBLEMS[problem.code].status, headers: { ...headers, ...page.headers }, body: page.body }
}

/** A page that pays reads the documents that programs read. */
function isOpenedByPerson({ method, headers }: ServedRequest, endpoint: Endpoint | null): boolean {
  const isPage = endpoint === null || endpoint.isPage || method === 'GET' || method === 'HEAD'
  return isPage && acceptsHtml(headers.get('accept')) && !carriesPayment(headers)
}

function dialectOf(path: string): Dialect {
  if (MESSAGES_API.test(path)) return 'messages'
  return MODEL_API.test(path) ? 'chat' : 'problem'
}
