import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
/** Where the tarballs are written, next to the folders that they are made of. */
export const PACKED = join(ROOT, 'build/packages')

type Dependencies = Readonly<Record<string, string>>

export type Manifest = {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Dependencies
  readonly optionalDependencies?: Dependencies
  /**
   * Packages of this repository that are loaded where they are installed. As peers in a checkout, they would be part of
   * `npm ci -w` of one app.
   */
  readonly optionalPeers?: readonly string[]
  readonly peerDependencies?: Dependencies
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export type Published = {
  /** Below the root, such as `packages/calc`. */
  readonly folder: string
  readonly manifest: Manifest
}

/** The packages and apps that are published: all workspaces but the private ones. */
export function findPublished(): readonly Published[] {
  return globSync('{packages,apps}/*/package.json', { cwd: ROOT })
    .toSorted()
    .map((file) => ({ folder: dirname(file), manifest: readManifest(file) }))
    .filter(({ manifest }) => manifest.private !== true)
}

/** @param file below the root. */
export function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Manifest
}

/** The file that `npm pack` writes: `@tollbook/calc` of version 1.0.0 is in `tollbook-calc-1.0.0.tgz`. */
export function tarballOf({ name, version }: Pick<Manifest, 'name' | 'version'>): string {
  return `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`
}
