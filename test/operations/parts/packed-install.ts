import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPublished, type Manifest, PACKED, ROOT, tarballOf } from '../../../tools/package/published.ts'

const run = promisify(execFile)

/** Installs tarballs of `npm run pack` into empty folders, as if they came from the registry. */
export class PackedInstall {
  readonly published = findPublished()
  readonly #folder: string
  readonly #manifests: ReadonlyMap<string, Manifest>

  /** @param folder for the installs, and for the packages of others between them. */
  constructor(folder: string) {
    this.#folder = folder
    this.#manifests = new Map(this.published.map(({ manifest }) => [manifest.name, manifest]))
  }

  readmeOf(name: string): string {
    const found = this.published.find(({ manifest }) => manifest.name === name)
    return readFileSync(join(ROOT, found?.folder ?? '', 'README.md'), 'utf8')
  }

  /**
   * Runs `npm install` with these names in an empty folder. Our packages, and those of ours that they depend on, are
   * tarballs; all others come from the registry.
   * @returns the folder.
   */
  async install(name: string, packages: readonly string[]): Promise<string> {
    const folder = join(this.#folder, name)
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const own = [...this.#closureOf(packages)].map(tarballOf).map((file) => join(PACKED, file))
    const others = packages.filter((each) => !this.#manifests.has(each))
    const options = ['--no-audit', '--no-fund', '--prefer-offline', '--cache', join(this.#folder, 'cache')]
    await run('npm', ['install', ...options, ...own, ...others], { cwd: folder })
    return folder
  }

  /** These of our packages with all that they depend on. */
  #closureOf(packages: readonly string[]): ReadonlySet<Manifest> {
    const closure = new Set<Manifest>()
    const add = (name: string) => {
      const manifest = this.#manifests.get(name)
      if (!manifest || closure.has(manifest)) return
      closure.add(manifest)
      Object.keys(manifest.dependencies ?? {}).forEach(add)
    }
    packages.forEach(add)
    return closure
  }
}
