import type { Document } from './reply/document.ts'

type PageRequest = {
  readonly url: URL
  readonly parameters: Readonly<Record<string, string>>
  readonly requestId: string
  /** GET, or HEAD, for which the body is dropped. */
  readonly method: string
  readonly headers: Headers
  readonly clientAddress: string
}

/** The answer to GET on a path that is not an endpoint; a thrown ProblemError is the error response. */
export type Page = (request: PageRequest) => Response | Document | Promise<Response | Document>
