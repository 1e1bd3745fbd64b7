import { basename } from 'node:path'
import type { Manifest } from './published.ts'

/** Fields that apply to a checkout only. */
const OF_CHECKOUTS = ['private', 'scripts', 'devDependencies'] as const
/**
 * In a checkout `overrides` keeps their CUDA and Vulkan files out, 850 MB; npm ignores the overrides of a dependency.
 * An install of the tarball leaves them out until they are installed by name (decision 0080).
 */
export const ADDED_BY_HAND: readonly string[] = ['node-llama-cpp', '@fugood/whisper.node']

/**
 * The `package.json` of a tarball: modules are read from `dist`, commands from `bin`, and packages that bring files for
 * graphics cards are optional peers.
 */
export function toPublishedManifest(manifest: Manifest): Manifest {
  const {
    optionalDependencies = {},
    optionalPeers = [],
    peerDependencies = {},
    peerDependenciesMeta = {},
    ...rest
  } = manifest
  const isByHand = ([name]: readonly [string, unknown]) => ADDED_BY_HAND.includes(name)
  const optional = Object.entries(optionalDependencies)
  const byHand = optional.filter(isByHand)
  const optionalOnes = Object.fromEntries([
    ...optionalPeers.map((name) => [name, manifest.version] as const),
    ...byHand,
  ])
  const published = {
    ...rest,
    ...(manifest.bin && { bin: mapValues(manifest.bin, (_, name) => toLauncher(name)) }),
    exports: mapValues(manifest.exports, toPublishedExport),
    optionalDependencies: Object.fromEntries(optional.filter((entry) => !isByHand(entry))),
    peerDependencies: { ...peerDependencies, ...optionalOnes },
    peerDependenciesMeta: {
      ...peerDependenciesMeta,
      ...mapValues(optionalOnes, () => ({ optional: true })),
    },
  }
  const unwanted: readonly string[] = OF_CHECKOUTS
  return Object.fromEntries(
    Object.entries(published).filter(([name, value]) => !unwanted.includes(name) && !isEmpty(value)),
  ) as typeof published
}

/** The file that starts the command of this name. */
export function toLauncher(name: string): string {
  return `./bin/${name}.js`
}

/** `./src/x.ts` becomes what `dist` has of it. @throws Error for another form, since it would be read from nowhere. */
function toPublishedExport(target: unknown, name: string): unknown {
  if (target === './package.json' || target === null) return target
  const [, path] = (typeof target === 'string' && /^\.\/src\/(.+)\.ts$/.exec(target)) || []
  if (path === undefined) throw new Error(`the export ${basename(name)} is not of the form ./src/name.ts`)
  return { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` }
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T, name: string) => R) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
