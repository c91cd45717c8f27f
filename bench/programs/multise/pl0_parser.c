// A scanner and parser of a PL/0-like language over N symbolic characters. Keywords are single letters:
//   c constant  v variable  p procedure  b begin  e end  i if  t then  w while  d do  l call  o odd
// Identifiers are x, y, z; numbers are single digits; `=` assigns and compares, `#` is "not equal".
#include <rejoin.h>
#ifndef N
#define N 3
#endif

enum symbol { NONE, IDENT, NUMBER, PLUS, MINUS, TIMES, SLASH, OPEN, CLOSE, EQUAL, UNEQUAL, LESS, GREATER,
              COMMA, SEMICOLON, PERIOD, CONST, VAR, PROC, BEGIN, END, IF, THEN, WHILE, DO, CALL, ODD };

static char text[N + 2];
static int at, errors, depth;
static enum symbol symbol;
static enum symbol declared[3];
static char name;

static void next(void) {
  char c = text[at];
  if (c != 0) at++;
  switch (c) {
    case 'x': case 'y': case 'z': symbol = IDENT; name = c; break;
    case '0' ... '9': symbol = NUMBER; break;
    case '+': symbol = PLUS; break;
    case '-': symbol = MINUS; break;
    case '*': symbol = TIMES; break;
    case '/': symbol = SLASH; break;
    case '(': symbol = OPEN; break;
    case ')': symbol = CLOSE; break;
    case '=': symbol = EQUAL; break;
    case '#': symbol = UNEQUAL; break;
    case '<': symbol = LESS; break;
    case '>': symbol = GREATER; break;
    case ',': symbol = COMMA; break;
    case ';': symbol = SEMICOLON; break;
    case '.': symbol = PERIOD; break;
    case 'c': symbol = CONST; break;
    case 'v': symbol = VAR; break;
    case 'p': symbol = PROC; break;
    case 'b': symbol = BEGIN; break;
    case 'e': symbol = END; break;
    case 'i': symbol = IF; break;
    case 't': symbol = THEN; break;
    case 'w': symbol = WHILE; break;
    case 'd': symbol = DO; break;
    case 'l': symbol = CALL; break;
    case 'o': symbol = ODD; break;
    default: symbol = NONE;
  }
}

static int accept(enum symbol s) {
  if (symbol != s) return 0;
  next();
  return 1;
}

static void expect(enum symbol s) {
  if (!accept(s)) errors++;
}

static void declare(enum symbol kind) {
  if (symbol == IDENT) declared[name - 'x'] = kind;
  expect(IDENT);
}

static void use(enum symbol kind) {
  if (symbol == IDENT && declared[name - 'x'] != kind) errors++;
  expect(IDENT);
}

static void expression(void);

static void factor(void) {
  if (symbol == IDENT) {
    if (declared[name - 'x'] == NONE || declared[name - 'x'] == PROC) errors++;
    next();
  } else if (accept(OPEN)) {
    expression();
    expect(CLOSE);
  } else {
    expect(NUMBER);
  }
}

static void term(void) {
  factor();
  while (!errors && (symbol == TIMES || symbol == SLASH)) {
    next();
    factor();
  }
}

static void expression(void) {
  if (symbol == PLUS || symbol == MINUS) next();
  term();
  while (!errors && (symbol == PLUS || symbol == MINUS)) {
    next();
    term();
  }
}

static void condition(void) {
  if (accept(ODD)) {
    expression();
    return;
  }
  expression();
  if (symbol == EQUAL || symbol == UNEQUAL || symbol == LESS || symbol == GREATER) {
    next();
    expression();
  } else {
    errors++;
  }
}

static void statement(void) {
  if (errors || ++depth > 4) return;
  if (symbol == IDENT) {
    use(VAR);
    expect(EQUAL);
    expression();
  } else if (accept(CALL)) {
    use(PROC);
  } else if (accept(BEGIN)) {
    do statement();
    while (!errors && accept(SEMICOLON));
    expect(END);
  } else if (accept(IF)) {
    condition();
    expect(THEN);
    statement();
  } else if (accept(WHILE)) {
    condition();
    expect(DO);
    statement();
  }
  depth--;
}

static void block(void) {
  if (accept(CONST)) {
    do {
      declare(CONST);
      expect(EQUAL);
      expect(NUMBER);
    } while (!errors && accept(COMMA));
    expect(SEMICOLON);
  }
  if (accept(VAR)) {
    do declare(VAR);
    while (!errors && accept(COMMA));
    expect(SEMICOLON);
  }
  while (!errors && accept(PROC)) {
    declare(PROC);
    expect(SEMICOLON);
    statement();
    expect(SEMICOLON);
  }
  statement();
}

int main(void) {
  rejoin_symbolic(text, N, "text");
  text[N] = '.';
  next();
  block();
  expect(PERIOD);
  rejoin_assert(at <= N + 1);
  return errors != 0;
}
