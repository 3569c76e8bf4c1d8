//! The table of pages.

use crate::site::Routes;

#[test]
fn no_pattern_is_there_twice() {
    let mut routes = Routes::default();
    crate::home::routes(&mut routes);
    crate::session::routes(&mut routes);
    crate::profile::routes(&mut routes);
    crate::oauth::routes(&mut routes);
    let table = routes.finish().unwrap();
    for (path, known) in
        [("/users/sign_in", true), ("/profile/keys/7", true), ("/profile/keys/7/8", false), ("/x", false)]
    {
        assert_eq!(table.find(path).is_some(), known, "{path}");
    }
}
