import { existsSync, globSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const names = z.record(z.string(), z.string()).default({})
const schema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().default(false),
      dev: z.boolean().default(false),
      dependencies: names,
      optionalDependencies: names,
      peerDependencies: names,
      peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).default({}),
    }),
  ),
})
type Packages = z.infer<typeof schema>['packages']

/** Sources that a published package does not need. */
const UNPUBLISHED = /\.test\.ts$|^(golden|fixtures|node_modules)$/
const NODE = /^node_modules\/node-(linux|darwin|win)-/

/** MiB on disk and the number of packages from outside this repository. */
export type Weight = { readonly mebibytes: number; readonly packages: number }
/** The weight of a package or app, and what its optional dependencies add. */
export type WorkspaceWeight = Weight & { readonly name: string; readonly optional: Weight }
export type InstallWeight = Weight & {
  readonly name: string
  readonly largest: readonly { readonly name: string; readonly mebibytes: number }[]
}

/**
 * Weighs what npm installs for parts of this repository, from package-lock.json and the folders in node_modules.
 * Packages for other platforms are not in node_modules and weigh nothing.
 */
export class Weights {
  readonly #root: string
  readonly #packages: Packages
  readonly #sizes = new Map<string, number>()

  constructor(root: string) {
    this.#root = root
    this.#packages = schema.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))).packages
  }

  /** The folders of the packages and apps, `packages/testing` excluded. */
  get workspaces(): readonly string[] {
    return globSync('{packages,apps}/*/package.json', { cwd: this.#root })
      .map((file) => file.slice(0, -'/package.json'.length))
      .filter((folder) => folder !== 'packages/testing')
      .sort()
  }

  /** The production closure of packages or apps that are installed together. */
  ofWorkspaces(...folders: readonly string[]): WorkspaceWeight {
    const required = this.#closure(folders, false)
    const added = new Set([...this.#closure(folders, true)].filter((path) => !required.has(path)))
    return { name: folders.join(' + '), ...this.#sum(required), optional: this.#sum(added) }
  }

  /** What `npm ci --omit=dev` installs. */
  everything(): InstallWeight {
    return this.#install('everything', (path) => !this.#packages[path]?.dev)
  }

  everythingWithoutNode(): InstallWeight {
    return this.#install('everything without Node', (path) => !this.#packages[path]?.dev && !NODE.test(path))
  }

  /** What `npm ci` installs. */
  development(): InstallWeight {
    return this.#install('development', () => true)
  }

  #install(name: string, isIncluded: (path: string) => boolean): InstallWeight {
    const paths = Object.keys(this.#packages).filter((path) => path !== '' && isIncluded(path))
    const largest = paths
      .map((path) => ({ name: path.replace(/^node_modules\//, ''), mebibytes: this.#sizeOf(path) / 2 ** 20 }))
      .sort((a, b) => b.mebibytes - a.mebibytes)
      .slice(0, 10)
    return { name, ...this.#sum(new Set(paths)), largest }
  }

  /** Paths in the lock of packages and of all that they depend on. */
  #closure(folders: readonly string[], withOptional: boolean): Set<string> {
    const found = new Set(folders)
    // A set iterates over what is added to it on the way.
    for (const path of found)
      for (const name of this.#dependenciesOf(path, withOptional)) {
        const dependency = this.#resolve(path, name)
        if (dependency !== undefined) found.add(dependency)
      }
    return found
  }

  /** Optional dependencies of other people's packages are their builds for platforms, so they count as required. */
  #dependenciesOf(path: string, withOptional: boolean): readonly string[] {
    const entry = this.#packages[path]
    if (!entry) return []
    const isOwn = !path.includes('node_modules/')
    const peers = Object.keys(entry.peerDependencies).filter(
      (name) => !entry.peerDependenciesMeta[name]?.optional,
    )
    const optional = withOptional || !isOwn ? Object.keys(entry.optionalDependencies) : []
    return [...Object.keys(entry.dependencies), ...peers, ...optional]
  }

  /** Looks a package up as Node does: next to the package that depends on it, then in the folders above. */
  #resolve(from: string, name: string): string | undefined {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
      const path = join(folder, 'node_modules', name)
      const entry = this.#packages[path]
      if (entry) return entry.link ? entry.resolved : path
      if (folder === '') return undefined
    }
  }

  #sum(paths: ReadonlySet<string>): Weight {
    const present = [...paths].filter((path) => existsSync(join(this.#root, path)))
    const bytes = present.reduce((sum, path) => sum + this.#sizeOf(path), 0)
    const outside = present.filter((path) => path.includes('node_modules/') && !this.#packages[path]?.link)
    return { mebibytes: bytes / 2 ** 20, packages: outside.length }
  }

  #sizeOf(path: string): number {
    const known = this.#sizes.get(path)
    if (known !== undefined) return known
    const folder = join(this.#root, path)
    const bytes = !existsSync(folder)
      ? 0
      : path.includes('node_modules/')
        ? bytesOf(folder, (name) => name === 'node_modules')
        : bytesOf(folder, (name) => UNPUBLISHED.test(name))
    this.#sizes.set(path, bytes)
    return bytes
  }
}

/** Bytes of the blocks that a file or a folder takes, stat(2). */
function bytesOf(path: string, isLeftOut: (name: string) => boolean): number {
  const stat = lstatSync(path)
  const own = stat.blocks * 512
  if (!stat.isDirectory()) return own
  return readdirSync(path)
    .filter((name) => !isLeftOut(name))
    .reduce((sum, name) => sum + bytesOf(join(path, name), isLeftOut), own)
}
