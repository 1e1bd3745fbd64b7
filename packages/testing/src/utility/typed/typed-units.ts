/** A unit as people write it, with its size in PARI/GP and its name in GNU units. */
export type TypedUnit = {
  readonly spellings: readonly string[]
  /** In SI base units (bits, degrees, plain numbers for what has none), as an exact expression. */
  readonly pari: string
  readonly gnu: string
}

/**
 * Units of one kind a family. Every size is written from the definition and shares nothing with the engine:
 * one line is `GNU units | size | spellings`.
 */
const TABLE: Readonly<Record<string, string>> = {
  length: `
    m | 1 | m, meter, meters, metre, metres
    km | 1000 | km, kilometers, kilometres, kilometer
    cm | 1/100 | cm, centimeters, centimetres
    mm | 1/1000 | mm, millimeters
    um | 1/10^6 | um, µm, micrometers
    inch | 254/10000 | in, inch, inches
    ft | 3048/10000 | ft, feet, foot
    yd | 9144/10000 | yd, yards, yard
    mile | 1609344/1000 | mi, miles, mile
    nauticalmile | 1852 | nautical miles, nmi
    lightyear | 9460730472580800 | light years, ly`,
  mass: `
    kg | 1 | kg, kilograms, kilogram
    g | 1/1000 | g, grams, gram
    mg | 1/10^6 | mg, milligrams
    tonne | 1000 | t, tonnes, metric tons
    lb | 45359237/10^8 | lb, lbs, pounds, pound
    oz | 45359237/10^8/16 | oz, ounces, ounce
    stone | 14*45359237/10^8 | stone, st
    shortton | 2000*45359237/10^8 | short tons`,
  time: `
    s | 1 | s, sec, seconds, second
    ms | 1/1000 | ms, milliseconds
    min | 60 | min, minutes, mins
    hour | 3600 | h, hours, hr, hrs
    day | 86400 | days, day, d
    week | 604800 | weeks, week`,
  volume: `
    l | 1/1000 | l, L, liters, litres, liter
    ml | 1/10^6 | ml, mL, milliliters
    m^3 | 1 | m^3, m3, m³, cubic meters, cubic metres
    cm^3 | 1/10^6 | cm^3, cm3, cc, cm³
    gallon | 231*(254/10000)^3 | gal, gallons, gallon
    quart | 231*(254/10000)^3/4 | quarts, qt
    pint | 231*(254/10000)^3/8 | pints, pt
    cup | 231*(254/10000)^3/16 | cups, cup
    floz | 231*(254/10000)^3/128 | fl oz, fluid ounces
    tablespoon | 231*(254/10000)^3/256 | tbsp, tablespoons
    teaspoon | 231*(254/10000)^3/768 | tsp, teaspoons
    ft^3 | (3048/10000)^3 | ft^3, cubic feet, ft³
    in^3 | (254/10000)^3 | in^3, cubic inches
    brgallon | 454609/10^8 | imperial gallons`,
  area: `
    m^2 | 1 | m^2, m2, m², square meters, sq m
    cm^2 | 1/10^4 | cm^2, cm2, cm²
    km^2 | 10^6 | km^2, km2, square kilometers
    ft^2 | (3048/10000)^2 | ft^2, sq ft, sqft, square feet
    in^2 | (254/10000)^2 | in^2, square inches, sq in
    yd^2 | (9144/10000)^2 | yd^2, square yards
    mile^2 | (1609344/1000)^2 | mi^2, square miles
    acre | 40468564224/10^7 | acres, acre
    hectare | 10^4 | ha, hectares`,
  speed: `
    m/s | 1 | m/s, meters per second, m s^-1
    km/hour | 1000/3600 | km/h, kph, km per hour, kilometers per hour
    mile/hour | 1609344/3600000 | mph, mi/h, miles per hour
    ft/s | 3048/10000 | ft/s, feet per second
    knot | 1852/3600 | knots, kn`,
  acceleration: `
    m/s^2 | 1 | m/s^2, m/s2, m/s²
    ft/s^2 | 3048/10000 | ft/s^2`,
  pressure: `
    Pa | 1 | Pa, pascals, N/m^2
    kPa | 1000 | kPa
    bar | 10^5 | bar
    atm | 101325 | atm, atmospheres
    psi | 45359237/10^8*980665/10^5/(254/10000)^2 | psi`,
  energy: `
    J | 1 | J, joules, N m
    kJ | 1000 | kJ
    kWh | 3600000 | kWh, kilowatt hours
    cal | 4184/1000 | cal, calories
    kcal | 4184 | kcal
    eV | 1602176634/10^28 | eV`,
  power: `
    W | 1 | W, watts, J/s
    kW | 1000 | kW, kilowatts
    horsepower | 550*3048/10000*45359237/10^8*980665/10^5 | hp, horsepower`,
  force: `
    N | 1 | N, newtons, kg m/s^2
    kN | 1000 | kN
    lbf | 45359237/10^8*980665/10^5 | lbf`,
  data: `
    bit | 1 | bits, bit
    byte | 8 | bytes, B
    kB | 8000 | kB, kilobytes
    MB | 8*10^6 | MB, megabytes
    GB | 8*10^9 | GB, gigabytes
    TB | 8*10^12 | TB
    MiB | 8*1024^2 | MiB
    GiB | 8*1024^3 | GiB`,
  rate: `
    Mbit/s | 10^6 | Mbit/s, Mbps, megabits per second
    MB/s | 8*10^6 | MB/s
    Gbit/s | 10^9 | Gbps, Gbit/s
    GB/hour | 8*10^9/3600 | GB/h`,
  density: `
    kg/m^3 | 1 | kg/m^3, kg/m3, kg/m³
    g/cm^3 | 1000 | g/cm^3, g/cm3, g/ml
    lb/ft^3 | 45359237/10^8/(3048/10000)^3 | lb/ft^3
    g/l | 1 | g/l, g/L`,
  flow: `
    l/min | 1/60000 | l/min, liters per minute
    gallon/min | 231*(254/10000)^3/60 | gal/min, gallons per minute
    m^3/hour | 1/3600 | m^3/h, m3/h`,
  angle: `
    degree | 1 | deg, degrees, °
    radian | 180/Pi | rad, radians
    turn | 360 | turns, turn
    arcmin | 1/60 | arcmin`,
}

export const TYPED_UNITS: readonly (readonly TypedUnit[])[] = Object.values(TABLE).map((lines) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [gnu = '', pari = '', spellings = ''] = line.split('|').map((part) => part.trim())
      return { gnu, pari, spellings: spellings.split(', ') }
    }),
)

/** The size of a unit by its name in GNU units, in PARI/GP. */
export function sizeInPari(gnu: string): string {
  const unit = TYPED_UNITS.flat().find((candidate) => candidate.gnu === gnu)
  if (!unit) throw new Error(`the table has no unit ${gnu}`)
  return `(${unit.pari})`
}
