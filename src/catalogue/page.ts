type PageRequest = {
  readonly url: URL
  readonly parameters: Readonly<Record<string, string>>
  readonly requestId: string
  /** GET, or HEAD, whose answer loses its body. */
  readonly method: string
  readonly headers: Headers
}

/** What GET is answered under a path that is no endpoint's; a thrown ProblemError is its refusal. */
export type Page = (request: PageRequest) => Response | Promise<Response>
