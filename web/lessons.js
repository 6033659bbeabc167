/**
 * lessons.js: the positions of the tutorial, one record each: legal games up to the choice that the lesson asks for.
 */

export const LESSONS = /** @type {Record<string, string>} */ ({
    one: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 37 44 20 15
deal 2 42 32 6 46
keep 1 15 44
keep 2 6 42
show 41 11 13 12
reveal I2
`,
    first: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 37 18 32 43
deal 2 30 22 47 14
keep 1 32 37
keep 2 22 30
show 7 27 25 4
reveal V3
`,
    turn: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 11 8 32 46
deal 2 48 7 37 14
keep 1 11 32
keep 2 7 37
show 6 36 45 20
reveal L4
`,
    touch: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 47 30 46 17
deal 2 4 10 25 26
keep 1 17 30
keep 2 10 26
show 16 47 29 20
reveal O4
mark 1 30:a1b1a2b2
mark 2 10:b1
reveal I3
`,
    gem: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 35 27 21 29
deal 2 14 47 17 33
keep 1 29 35
keep 2 33 47
show 15 37 10 17
reveal O4
mark 1 29:d1e1d2e2
mark 2 33:d1
reveal I3
`,
    torch: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 11 31 47 42
deal 2 37 13 12 10
keep 1 11 42
keep 2 10 37
show 6 19 47 16
reveal I4
`,
    potion: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 46 27 11 37
deal 2 48 19 26 15
keep 1 27 46
keep 2 19 26
show 28 43 21 24
reveal I4
mark 1 27:a1b1c1d1
mark 2 19:a1b1c1d1+19:c2
reveal O4
mark 1 46:e1
mark 2 19:d2
reveal I4
mark 1 27:b2b3b4b5
mark 2 19:e2e3e4e5
take 2 28
show 40
reveal L4
`,
    cross: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 23 10 7 42
deal 2 38 32 12 26
keep 1 7 42
keep 2 26 32
show 29 35 28 43
reveal V3
mark 1 42:e1d2e2
mark 2 26:d1e1e2
reveal O4
`,
    tomb: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 35 42 13 12
deal 2 16 17 28 45
keep 1 12 13
keep 2 16 28
show 26 46 17 14
reveal L4
mark 1 12:d1e1d2d3
mark 2 28:b1c1d1d2
reveal I2
mark 1 12:d4d5
mark 2 28:a1a2+28:a3
reveal I4
`,
    points: `pyramids-record 1
edition classic
player 1 Ana
player 2 Ben
deal 1 34 14 5 16
deal 2 28 48 42 20
keep 1 16 34
keep 2 20 42
show 32 36 37 10
reveal L4
mark 1 16:a1b1a2a3
mark 2 42:e1c2d2e2
reveal V3
mark 1 16:a4b4b5
mark 2 20:b1c1b2
take 1 36
show 25
reveal O4
mark 1 34:b1c1b2c2
mark 2 20:b3
reveal I4
`,
});
