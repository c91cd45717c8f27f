int main(void) {
    char *s = "text";
    s[1] = 'a'; // error: read_only
    return 0;
}
