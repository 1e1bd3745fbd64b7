import type { PathRoute } from './path-routes.ts'

/** Where a path leads, and the values of its parameters. */
export type MatchedPath = {
  readonly route: PathRoute
  readonly pathParameters: Readonly<Record<string, string>>
}

/** Max remembered paths with parameters; the oldest is forgotten first. */
const MAX_PATHS = 10_000
/** Longer paths are not remembered, which bounds the memory to some 5 MB. */
const MAX_PATH_CHARACTERS = 200

/** The literal paths, and the last matched paths with parameters, by the path exactly as it was requested. */
export class MatchedPaths {
  readonly #literal = new Map<string, MatchedPath>()
  readonly #matched = new Map<string, MatchedPath>()

  find(path: string): MatchedPath | undefined {
    return this.#literal.get(path) ?? this.#matched.get(path)
  }

  addLiteral(route: PathRoute): void {
    this.#literal.set(route.path, { route, pathParameters: {} })
  }

  remember(path: string, matched: MatchedPath): void {
    if (path.length > MAX_PATH_CHARACTERS || this.#matched.has(path)) return
    if (this.#matched.size >= MAX_PATHS) {
      const [oldest] = this.#matched.keys()
      if (oldest !== undefined) this.#matched.delete(oldest)
    }
    this.#matched.set(path, matched)
  }
}
