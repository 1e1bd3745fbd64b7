import { chmod, chown, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

// A process of its own, started by `find-chromium.ts` with the final name of the folder. The package unpacks
// into the folder for temporary files, which here is a new one. Every user may read the result, since root
// runs it as another user.
const [folder = ''] = process.argv.slice(2)
process.umask(0o022)
const bin = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')))
await Promise.all(['chromium', 'al2023.tar', 'fonts.tar'].map((name) => inflate(join(bin, `${name}.br`))))
await Promise.all([tmpdir(), join(tmpdir(), 'chromium')].map((path) => chmod(path, 0o755)))
// Root unpacks files as those of the users who packed them.
const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
const files = await readdir(tmpdir(), { recursive: true })
await Promise.all(files.map((name) => chown(join(tmpdir(), name), user, group)))
// The fonts of the system and of the package, whose own configuration is for another machine.
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>${folder}/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`
await writeFile(join(tmpdir(), 'fonts.conf'), fonts)
